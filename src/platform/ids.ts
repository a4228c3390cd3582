/** Identifiers: a kind and 22 base62 characters (131 bits) from the system's random source. */
import { randomInt } from 'node:crypto';

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

type IdKind = 'account' | 'domain' | 'event' | 'key' | 'session' | 'upload' | 'user' | 'webhook';
export type NewId = (kind: IdKind) => string;

export const newId: NewId = (kind) => `${kind}_${randomText(22)}`;

/** `length` letters and digits, evenly distributed. */
export function randomText(length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += ALPHANUMERIC[randomInt(ALPHANUMERIC.length)];
  return text;
}
