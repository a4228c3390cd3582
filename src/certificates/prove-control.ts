/**
 * Proves to an authority that a hostname leads to us (http-01, RFC 8555, section 8.3): writes the answer to the challenge
 * for hosting, and asks for it ourselves before the authority does. A failed validation counts against limits.
 */
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../platform/error-code.ts';
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

/** This machine has no route to such addresses, so it cannot tell. An example is IPv6 in many containers. */
const NO_ROUTE = ['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

export interface Proving<Proof> {
  readonly challenge: HostChallenge;
  /** Our own, where every crawler and authority reaches hosting. We connect to no others. */
  readonly addresses: readonly string[];
  /** Makes the authority check the challenge, and resolves when it has. */
  readonly ask: () => Promise<Proof>;
  /** Aborted when another process may take over. */
  readonly signal: AbortSignal;
}

/** Throws IssuanceError, or what `ask` throws. */
export async function proveControl<Proof>(
  { storage, freshMs, port }: ProveControlOptions,
  { challenge, addresses, ask, signal }: Proving<Proof>,
): Promise<Proof> {
  const { hostname } = challenge;
  let isAsked = false;
  let isDecided = false;
  try {
    await storage.put(challengeKey(hostname), [Buffer.from(JSON.stringify(challenge))]);
    await delay(freshMs);
    await Promise.all(addresses.map((address) => checkAnswer({ address, port }, challenge)));
    isAsked = true;
    const proof = await ask();
    isDecided = true;
    return proof;
  } finally {
    // Without an answer, the authority may look still, and would not find it. By the time that the lease is lost, it may
    // be the challenge of another process. If it remains, `removeChallenge` comes later.
    const isOver = isDecided || !isAsked;
    if (isOver && !signal.aborted) await removeChallenge(storage, hostname).catch(() => {});
  }
}

/** Also removes the challenge of a process that died. */
export function removeChallenge(storage: Pick<ObjectStorage, 'deleteMany'>, hostname: string): Promise<void> {
  return storage.deleteMany([challengeKey(hostname)]);
}

/** Throws IssuanceError: our own hosting does not answer as it should. */
async function checkAnswer(
  { address, port }: { readonly address: string; readonly port: number },
  { hostname, token, keyAuthorization }: HostChallenge,
): Promise<void> {
  const path = `/.well-known/acme-challenge/${token}`;
  const answer = await read({ address, port }, hostname, path).catch((cause) => {
    if (hasCode(cause, ...NO_ROUTE)) return keyAuthorization;
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
