/**
 * Proves to an authority that a hostname leads to us (http-01, RFC 8555, section 8.3): stores the answer to the challenge for hosting, and
 * requests it ourselves before the authority does. A failed validation counts towards limits of the authority.
 */
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../../platform/error-code.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { challengeKey, type HostChallenge } from '../sites/certificate.ts';
import { IssuanceError } from './issuer.ts';

export interface ProveControlOptions {
  readonly storage: Pick<ObjectStorage, 'put' | 'deleteMany'>;
  /** The time for which hosting may answer from memory after a change of the store. */
  readonly freshMs: number;
  /** The port at which the authority asks: 80, except in tests. */
  readonly port: number;
}

const ANSWER_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 1_024;

/**
 * The errors of a machine without a route to an address, for example to IPv6 in many containers. Such a machine cannot test the address.
 */
const NO_ROUTE = ['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

export interface Proving<Proof> {
  readonly challenge: HostChallenge;
  /** Our own addresses, where every crawler and authority reaches hosting. We connect to no others. */
  readonly addresses: readonly string[];
  /** Makes the authority check the challenge, and resolves with its decision. */
  readonly ask: () => Promise<Proof>;
  /** The signal that aborts when another process may take over. */
  readonly signal: AbortSignal;
}

/** Proves control of the hostname. Throws IssuanceError, and all errors of `ask`. */
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
    // Without a decision, the authority may still ask for the challenge. If the lease is lost, another process may have stored its own
    // challenge. A later `removeChallenge` deletes a challenge that remains.
    const isOver = isDecided || !isAsked;
    if (isOver && !signal.aborted) await removeChallenge(storage, hostname).catch(() => {});
  }
}

/** Removes the challenge of a hostname, also if a process that died has stored it. */
export function removeChallenge(storage: Pick<ObjectStorage, 'deleteMany'>, hostname: string): Promise<void> {
  return storage.deleteMany([challengeKey(hostname)]);
}

/** Requests the challenge at one address. Throws IssuanceError if our own hosting gives no answer or another answer. */
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

/** Returns the body of a 200 answer; undefined for another status. Rejects for a body that is too long. */
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
