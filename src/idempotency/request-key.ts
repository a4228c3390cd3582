/** The header Idempotency-Key: its form, and the requests that it makes one. */
import { createHash } from 'node:crypto';
import { Refusal } from '../platform/refusal.ts';

export const HEADER = 'Idempotency-Key';
/** Of the header's value: visible ASCII. */
export const REQUEST_KEY = /^[\x21-\x7e]{1,255}$/;

/** Throws Refusal BAD_REQUEST. Two headers arrive as one with a blank in it, so they are refused too. */
export function parseRequestKey(given: string): string {
  if (REQUEST_KEY.test(given)) return given;
  throw new Refusal('BAD_REQUEST', `${HEADER} must be one value of 1 to 255 visible ASCII characters.`);
}

/** Of an account's requests, those with the same id are one, sent again. Its length is the same for every path. */
export function requestIdOf(method: string, path: string, key: string): string {
  return createHash('sha256').update(`${method} ${path} ${key}`).digest('base64url');
}
