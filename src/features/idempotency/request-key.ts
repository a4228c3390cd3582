/** The header Idempotency-Key: its form, and the id of a request with this header. */
import { createHash } from 'node:crypto';
import { Refusal } from '../../platform/refusal.ts';

export const HEADER = 'Idempotency-Key';
/** The form of the header's value: 1 to 255 characters of visible ASCII. */
export const REQUEST_KEY = /^[\x21-\x7e]{1,255}$/;

/** Returns the header's value. Throws Refusal BAD_REQUEST. Two headers arrive as one value with a blank in it, so they are refused. */
export function parseRequestKey(given: string): string {
  if (REQUEST_KEY.test(given)) return given;
  throw new Refusal('BAD_REQUEST', `${HEADER} must be one value of 1 to 255 visible ASCII characters.`);
}

/**
 * Returns the id of a request: a repeated request of an account has the same id. All ids have the same length. `keyId`: the id of the API
 * key, so that equal requests with different API keys have different ids. Null: they have the same id.
 */
export function requestIdOf(method: string, path: string, key: string, keyId: string | null = null): string {
  const own = keyId === null ? '' : ` ${keyId}`;
  return createHash('sha256').update(`${method} ${path} ${key}${own}`).digest('base64url');
}
