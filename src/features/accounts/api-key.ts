/**
 * API keys (spec 2.2): `sk_live_` and 32 letters and digits. 190 random bits need no slow hash, so the database keeps
 * the SHA-256.
 */
import { randomText } from '../../platform/ids.ts';
import { Refusal } from '../../platform/refusal.ts';

const KEY = /^sk_live_[0-9A-Za-z]{32}$/;
const PREFIX_LENGTH = 8;

export function newApiKey(): string {
  return `sk_live_${randomText(32)}`;
}

export function isApiKey(text: string): boolean {
  return KEY.test(text);
}

/** Returns the start of a key. Lists of keys show this start. */
export function prefixOf(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

/**
 * Returns the end of a key, by which people tell keys apart in lists. The end has 4 of the 32 random characters, or 24 of 190 bits. The
 * other 166 bits cannot be guessed.
 */
export function lastFourOf(key: string): string {
  return key.slice(-4);
}

/** Returns the same refusal for every cause (spec D18). */
export function unauthorized(): Refusal {
  return new Refusal(
    'UNAUTHORIZED',
    'The API key is invalid or missing. Send it in X-API-Key, or as Authorization: Bearer.',
  );
}

/** Returns the refusal of a valid key or session whose account is suspended (docs/decisions/0019). */
export function accountSuspended(): Refusal {
  return new Refusal(
    'FORBIDDEN',
    'The account is suspended. Its sitemaps stay served, but nothing can be changed.',
  );
}
