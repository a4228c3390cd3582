/** Dates, codes and priorities as bytes of JSON: whether they are of the forms that need no change. */
import { isLanguageTag } from './language-tag.ts';

const NOT_PLAIN = -1;
const ZERO = 0x30;
const POINT = 0x2e;

const CHANGEFREQS = ['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'].map(
  (text) => new Uint8Array(Buffer.from(text)),
);

export function isPlainChangefreq(json: Uint8Array, from: number, to: number): boolean {
  for (const changefreq of CHANGEFREQS) {
    if (changefreq.length !== to - from || changefreq[0] !== json[from]) continue;
    let i = 1;
    while (i < changefreq.length && json[from + i] === changefreq[i]) i++;
    if (i === changefreq.length) return true;
  }
  return false;
}

/** `YYYY-MM-DD`, or `YYYY-MM-DDThh:mm:ss` with `Z` or `±hh:mm`, up to 13:59. Days from the 29th on are left to date.ts, which has the calendar. */
export function isPlainDate(json: Uint8Array, from: number, to: number): boolean {
  const length = to - from;
  if (length !== 10 && length !== 20 && length !== 25) return false;
  const year = twoDigits(json, from) * 100 + twoDigits(json, from + 2);
  const month = twoDigits(json, from + 5);
  const day = twoDigits(json, from + 8);
  if (!(year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= 28)) return false;
  if (json[from + 4] !== 0x2d || json[from + 7] !== 0x2d) return false;
  return length === 10 || (isPlainTime(json, from + 10) && isPlainZone(json, from + 19, length - 19));
}

function isPlainTime(json: Uint8Array, at: number): boolean {
  const isInRange =
    twoDigits(json, at + 1) <= 23 && twoDigits(json, at + 4) <= 59 && twoDigits(json, at + 7) <= 59;
  return isInRange && json[at] === 0x54 && json[at + 3] === 0x3a && json[at + 6] === 0x3a;
}

function isPlainZone(json: Uint8Array, at: number, length: number): boolean {
  if (length === 1) return json[at] === 0x5a;
  const isSigned = json[at] === 0x2b || json[at] === 0x2d;
  return isSigned && twoDigits(json, at + 1) <= 13 && json[at + 3] === 0x3a && twoDigits(json, at + 4) <= 59;
}

/** NaN when they are not two digits, which is neither less nor more than anything. */
function twoDigits(json: Uint8Array, at: number): number {
  const tens = json[at]! - ZERO;
  const ones = json[at + 1]! - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** Language tags of up to five bytes (`en`, `en-GB`) that language-tag.ts found valid; it has the lists. */
export class PlainLanguageTags {
  readonly #known = new Set<number>();

  has(json: Uint8Array, from: number, to: number): boolean {
    if (to - from > 5) return isLanguageTag(latin1(json, from, to));
    let packed = 0;
    for (let i = from; i < to; i++) packed = packed * 256 + json[i]!;
    if (this.#known.has(packed)) return true;
    if (!isLanguageTag(latin1(json, from, to))) return false;
    this.#known.add(packed);
    return true;
  }
}

function latin1(json: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...json.subarray(from, to));
}

/**
 * `0`, `1`, or these with up to 8 digits behind the point. Returns two lengths in one number: of what is to be
 * written, without zeros at its end, in the low byte, and of what was read in the next; -1 for other numbers.
 */
export function findPriority(json: Uint8Array, at: number): number {
  const whole = json[at]! - ZERO;
  if (whole !== 0 && whole !== 1) return NOT_PLAIN;
  if (json[at + 1] !== POINT) return isDigit(json[at + 1]) || isExponent(json[at + 1]) ? NOT_PLAIN : 0x101;
  let i = at + 2;
  let written = 1;
  for (; isDigit(json[i]); i++) if (json[i] !== ZERO) written = i - at + 1;
  const read = i - at;
  // 1.0 is a priority, and 1.1 is not.
  if (read < 3 || read > 10 || isExponent(json[i]) || (whole === 1 && written > 1)) return NOT_PLAIN;
  return (read << 8) | written;
}

function isDigit(byte = 0): boolean {
  return byte >= ZERO && byte <= 0x39;
}

function isExponent(byte = 0): boolean {
  return byte === 0x65 || byte === 0x45;
}
