/**
 * Tokens in the links of mails. These links work without a session. Each is an HMAC with WEBHOOK_SECRET, so nothing is stored:
 *
 * ```
 * stop    <endpoint id>.<HMAC of "mail.stop <endpoint id>">
 * proof   <endpoint id>.<end in seconds>.<address>.<HMAC of "mail.proof <endpoint id> <end> <address>">
 * ```
 * A token of one kind is not valid as a token of the other kind. A proof ends after two days. The address is in base64url.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../../platform/secret.ts';

const PROOF_SECONDS = 2 * 24 * 3600;

export function stopToken(master: Secret, endpointId: string): string {
  return `${endpointId}.${mac(master, `mail.stop ${endpointId}`)}`;
}

/** Returns the id of the endpoint whose mails the token ends. Undefined for a text that is no such token. */
export function readStopToken(master: Secret, token: string): string | undefined {
  const [endpointId = ''] = token.split('.');
  return isSame(token, stopToken(master, endpointId)) ? endpointId : undefined;
}

export function proofToken(master: Secret, endpointId: string, address: string, now: Date): string {
  return proofUntil(master, endpointId, address, Math.floor(now.getTime() / 1000) + PROOF_SECONDS);
}

export interface Proof {
  readonly endpointId: string;
  readonly address: string;
}

/** Returns the endpoint and the address of a proof that is still valid. Undefined for any other text. */
export function readProofToken(master: Secret, token: string, now: Date): Proof | undefined {
  const [endpointId = '', until, encoded = ''] = token.split('.');
  const address = Buffer.from(encoded, 'base64url').toString();
  if (!isSame(token, proofUntil(master, endpointId, address, Number(until)))) return undefined;
  return Number(until) * 1000 > now.getTime() ? { endpointId, address } : undefined;
}

function proofUntil(master: Secret, endpointId: string, address: string, until: number): string {
  const encoded = Buffer.from(address).toString('base64url');
  return `${endpointId}.${until}.${encoded}.${mac(master, `mail.proof ${endpointId} ${until} ${encoded}`)}`;
}

function mac(master: Secret, text: string): string {
  return createHmac('sha256', master.reveal()).update(text).digest('base64url');
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
