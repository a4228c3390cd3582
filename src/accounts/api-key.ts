/**
 * API keys (spec 2.2): `sk_live_` and 32 letters and digits. 190 random bits need no
 * slow hash: SHA-256 is what the database keeps.
 */
import { createHash } from 'node:crypto';
import { randomText } from '../platform/ids.ts';
import { Refusal } from '../platform/refusal.ts';

const KEY = /^sk_live_[0-9A-Za-z]{32}$/;
const PREFIX_LENGTH = 8;

export function newApiKey(): string {
  return `sk_live_${randomText(32)}`;
}

export function isApiKey(text: string): boolean {
  return KEY.test(text);
}

export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** What lists show of a key. */
export function prefixOf(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

/**
 * What lists show besides, to tell keys apart: 4 of the 32 random characters, which are 24 of 190 bits. The 166 that
 * remain are beyond guessing.
 */
export function lastFourOf(key: string): string {
  return key.slice(-4);
}

/** The same whatever the cause (spec D18). */
export function unauthorized(): Refusal {
  return new Refusal('UNAUTHORIZED', 'The API key is invalid or missing.');
}

/** For a valid key (docs/decisions/0019). */
export function accountSuspended(): Refusal {
  return new Refusal(
    'FORBIDDEN',
    'The account is suspended. Its sitemaps stay served; nothing can be changed.',
  );
}
