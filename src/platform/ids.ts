/**
 * Identifiers: a kind and 22 base62 characters from the system's random source (131 bits). Those of what comes again and again
 * begin with the second in which they were made (16 random characters remain, 95 bits): then the newest rows are side by side in
 * an index, and Postgres writes few of its pages.
 */
import { randomInt } from 'node:crypto';

/** In the order of their codes. */
const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

type IdKind = 'account' | 'domain' | 'event' | 'key' | 'session' | 'upload' | 'user' | 'webhook';
export type NewId = (kind: IdKind) => string;

const IN_ORDER: ReadonlySet<IdKind> = new Set(['event', 'upload']);
const LENGTH = 22;
/** Until the year 3769. */
const TIME_LENGTH = 6;

export const newId: NewId = (kind) =>
  IN_ORDER.has(kind)
    ? `${kind}_${secondsText()}${randomText(LENGTH - TIME_LENGTH)}`
    : `${kind}_${randomText(LENGTH)}`;

/** `length` letters and digits, evenly distributed. */
export function randomText(length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += ALPHANUMERIC[randomInt(ALPHANUMERIC.length)];
  return text;
}

/** The time, to the second. A clock that steps makes ids in another order, and nothing else. */
function secondsText(): string {
  let seconds = Math.floor(Date.now() / 1000);
  let text = '';
  for (let i = 0; i < TIME_LENGTH; i++) {
    text = ALPHANUMERIC[seconds % ALPHANUMERIC.length] + text;
    seconds = Math.floor(seconds / ALPHANUMERIC.length);
  }
  return text;
}
