/**
 * Proves to an authority that a hostname leads to us (http-01, RFC 8555, section 8.3): writes the answer to the challenge
 * for hosting, and asks for it ourselves before the authority does. A failed validation counts against limits.
 */
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { challengeKey, type HostChallenge } from '../sites/certificate.ts';
import { IssuanceError } from './issuer.ts';

export interface ProveControlOptions {
  readonly storage: Pick<ObjectStorage, 'put' | 'deleteMany'>;
  /** How long hosting may go on to answer as before. */
  readonly freshMs: number;
  /** Where the authority asks: 80, except in tests. */
  readonly port: number;
}

const ANSWER_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 1_024;

/**
 * `ask` makes the authority check the challenge, and resolves when it has. `addresses`: our own, where every crawler and
 * authority reaches hosting. We connect to no others.
 */
export async function proveControl<Proof>(
  { storage, freshMs, port }: ProveControlOptions,
  challenge: HostChallenge,
  addresses: readonly string[],
  ask: () => Promise<Proof>,
): Promise<Proof> {
  const key = challengeKey(challenge.hostname);
  await storage.put(key, [Buffer.from(JSON.stringify(challenge))]);
  try {
    await delay(freshMs);
    await Promise.all(addresses.map((address) => checkAnswer({ address, port }, challenge)));
    return await ask();
  } finally {
    // If it remains, the next challenge replaces it. It is of no use to anyone.
    await storage.deleteMany([key]).catch(() => {});
  }
}

/** Throws IssuanceError: our own hosting does not answer as it should. */
async function checkAnswer(
  { address, port }: { readonly address: string; readonly port: number },
  { hostname, token, keyAuthorization }: HostChallenge,
): Promise<void> {
  const path = `/.well-known/acme-challenge/${token}`;
  const answer = await read({ address, port }, hostname, path).catch((cause) => {
    throw unreachable(address, port, 'does not answer', cause);
  });
  if (answer !== keyAuthorization) throw unreachable(address, port, 'does not answer the challenge');
}

function unreachable(address: string, port: number, how: string, cause?: unknown): IssuanceError {
  const message = `Hosting at ${address}, port ${port}, ${how}. The certificate will be ordered again later.`;
  return new IssuanceError('unavailable', message, { cause });
}

/** The body of a 200 answer. `undefined` for another status, or a body that is too long. */
function read(
  { address, port }: { readonly address: string; readonly port: number },
  hostname: string,
  path: string,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request({
      host: address,
      port,
      path,
      headers: { Host: hostname },
      agent: false,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    asking.on('error', reject);
    asking.on('response', (response) => {
      let body = '';
      response.setEncoding('latin1');
      response.on('error', reject);
      response.on('data', (text: string) => {
        body += text;
        if (body.length > MAX_ANSWER_BYTES) asking.destroy(new Error('the answer is too long'));
      });
      response.on('end', () => resolve(response.statusCode === 200 ? body : undefined));
    });
    asking.end();
  });
}
