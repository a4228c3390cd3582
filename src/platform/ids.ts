/**
 * Identifiers: a kind and 22 base62 characters from the system's random source (131 bits). Ids of frequent things begin
 * with the second of their creation, and have 16 random characters (95 bits). So an index keeps the newest rows side by side,
 * and Postgres writes few of its pages.
 */
import { randomInt } from 'node:crypto';

/** The characters are in the order of their codes, so that texts sort like the numbers. */
const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

type IdKind =
  | 'account'
  | 'delta'
  | 'domain'
  | 'event'
  | 'examination'
  | 'key'
  | 'rebuild'
  | 'schedule'
  | 'session'
  | 'upload'
  | 'user'
  | 'webhook';
export type NewId = (kind: IdKind) => string;

const IN_ORDER: ReadonlySet<IdKind> = new Set(['delta', 'event', 'upload']);
const LENGTH = 22;
/** Six characters suffice until the year 3769. */
const TIME_LENGTH = 6;

export const newId: NewId = (kind) =>
  IN_ORDER.has(kind)
    ? `${kind}_${secondsText()}${randomText(LENGTH - TIME_LENGTH)}`
    : `${kind}_${randomText(LENGTH)}`;

/** Returns `length` letters and digits, evenly distributed. */
export function randomText(length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += ALPHANUMERIC[randomInt(ALPHANUMERIC.length)];
  return text;
}

/** The time, to the second. If the clock steps, only the order of ids changes. */
function secondsText(): string {
  let seconds = Math.floor(Date.now() / 1000);
  let text = '';
  for (let i = 0; i < TIME_LENGTH; i++) {
    text = ALPHANUMERIC[seconds % ALPHANUMERIC.length] + text;
    seconds = Math.floor(seconds / ALPHANUMERIC.length);
  }
  return text;
}
