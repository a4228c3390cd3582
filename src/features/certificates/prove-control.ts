/**
 * Proves to an authority that a hostname leads to us (http-01, RFC 8555, section 8.3). Stores the answer to the challenge for hosting, and
 * requests the answer from hosting before the authority does, because a failed validation counts towards limits of the authority.
 */
import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
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
  /** The addresses of the hostname. All of them are ours. We connect to no others. */
  readonly addresses: readonly string[];
  /** Makes the authority check the challenge, and resolves with its decision. */
  readonly ask: () => Promise<Proof>;
  /** The signal that ends the work when the lease may be lost, because another process may then take it. */
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
    await Promise.all(addresses.map((address) => checkAnswer(address, port, challenge)));
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

/** Removes the challenge of a hostname, whichever process has stored it. */
export function removeChallenge(storage: Pick<ObjectStorage, 'deleteMany'>, hostname: string): Promise<void> {
  return storage.deleteMany([challengeKey(hostname)]);
}

/** Requests the challenge at one address. Throws IssuanceError if our own hosting gives no answer or another answer. */
async function checkAnswer(
  address: string,
  port: number,
  { hostname, token, keyAuthorization }: HostChallenge,
): Promise<void> {
  const path = `/.well-known/acme-challenge/${token}`;
  const headers = { Host: hostname };
  const answer = await read({ host: address, port, path, headers }).catch((cause) => {
    if (hasCode(cause, ...NO_ROUTE)) return keyAuthorization;
    throw unreachable(address, port, 'does not answer', cause);
  });
  if (answer !== keyAuthorization) throw unreachable(address, port, 'does not answer the challenge');
}

function unreachable(address: string, port: number, how: string, cause?: unknown): IssuanceError {
  const message = `Hosting at ${address}, port ${port}, ${how}. The certificate will be ordered again later.`;
  return new IssuanceError('unavailable', message, { cause });
}

/** Returns the body of a 200 answer; undefined for another status. Throws for a body that is too long. */
async function read(asked: RequestOptions): Promise<string | undefined> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const asking = request({ ...asked, agent: false, signal });
  // `once` stops listening for errors at the response, but the connection may emit errors after it. Without a listener, these end the
  // process.
  asking.on('error', () => {}).end();
  // `once` needs the signal too: if hosting switches protocols, Node closes the request without an error.
  const [response]: IncomingMessage[] = await once(asking, 'response', { signal });
  let body = '';
  for await (const text of response!.setEncoding('latin1')) {
    body += text;
    if (body.length > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
  }
  return response!.statusCode === 200 ? body : undefined;
}
