/** Dates, codes and priorities as bytes of JSON: finds those whose form needs no change. */
import { ascii, bytesOf, lengthOf } from './ascii.ts';
import { isLanguageTag } from './host.ts';
import { NOT_PLAIN } from './not-plain.ts';
import { matches, setPattern, VECTOR } from './pattern.ts';

const QUOTE: u8 = 0x22;
const ZERO: u8 = 0x30;
const POINT: u8 = 0x2e;

/** For each first letter (no two values share one): a pattern of the value with the closing quote, and its length. */
const CHANGEFREQS = memory.data(26 * 48, 16);
const CHANGEFREQ_SIZE: i32 = 48;
addChangefreq('always"');
addChangefreq('hourly"');
addChangefreq('daily"');
addChangefreq('weekly"');
addChangefreq('monthly"');
addChangefreq('yearly"');
addChangefreq('never"');

function addChangefreq(value: string): void {
  const text = ascii(value);
  const known = CHANGEFREQS + (value.charCodeAt(0) - 0x61) * CHANGEFREQ_SIZE;
  setPattern(known, VECTOR, bytesOf(text), lengthOf(text));
  store<i32>(known, lengthOf(text), 2 * VECTOR);
}

/** Returns the position of the quote after the value at `at`, as findDateEnd and findLanguageEnd do. */
export function findChangefreqEnd(at: i32): i32 {
  const letter = load<u8>(at) - 0x61;
  if (letter >= 26) return NOT_PLAIN;
  const known = CHANGEFREQS + <i32>letter * CHANGEFREQ_SIZE;
  const length = load<i32>(known, 2 * VECTOR);
  return length > 0 && matches(at, known, VECTOR) ? at + length - 1 : NOT_PLAIN;
}

/**
 * `YYYY-MM-DD`, or `YYYY-MM-DDThh:mm:ss` with `Z` or `±hh:mm` up to 13:59. Days from the 29th on are not plain:
 * date.ts knows the calendar.
 */
export function findDateEnd(at: i32): i32 {
  const isDate =
    isWithin(twoDigits(at) * 100 + twoDigits(at + 2), 1, 9999) &&
    isWithin(twoDigits(at + 5), 1, 12) &&
    isWithin(twoDigits(at + 8), 1, 28) &&
    load<u8>(at + 4) === 0x2d &&
    load<u8>(at + 7) === 0x2d;
  if (!isDate) return NOT_PLAIN;
  const end = load<u8>(at + 10) === QUOTE ? at + 10 : isTime(at + 10) ? findZoneEnd(at + 19) : NOT_PLAIN;
  return end;
}

function isTime(at: i32): bool {
  const isInRange = twoDigits(at + 1) < 24 && twoDigits(at + 4) < 60 && twoDigits(at + 7) < 60;
  return isInRange && load<u8>(at) === 0x54 && load<u8>(at + 3) === 0x3a && load<u8>(at + 6) === 0x3a;
}

function findZoneEnd(at: i32): i32 {
  const sign = load<u8>(at);
  if (sign === 0x5a) return load<u8>(at + 1) === QUOTE ? at + 1 : NOT_PLAIN;
  const isOffset =
    (sign === 0x2b || sign === 0x2d) &&
    twoDigits(at + 1) < 14 &&
    load<u8>(at + 3) === 0x3a &&
    twoDigits(at + 4) < 60;
  return isOffset && load<u8>(at + 6) === QUOTE ? at + 6 : NOT_PLAIN;
}

function isWithin(number: i32, least: i32, most: i32): bool {
  return number >= least && number <= most;
}

/** Returned for anything but two digits. It is so large that no sum or product with it is within a range. */
const NO_NUMBER: i32 = 1_000_000;

function twoDigits(at: i32): i32 {
  const tens = <u8>(load<u8>(at) - ZERO);
  const ones = <u8>(load<u8>(at + 1) - ZERO);
  return tens < 10 && ones < 10 ? <i32>tens * 10 + <i32>ones : NO_NUMBER;
}

/** Tags of up to seven bytes (`en`, `en-GB`) that the host found valid, each in the slot of its hash. */
const KNOWN_TAGS = memory.data(256 * 8, 16);

export function findLanguageEnd(at: i32): i32 {
  let packed: u64 = 0;
  let end = at;
  for (; end - at <= MAX_TAG_LENGTH && load<u8>(end) !== QUOTE; end++) packed = (packed << 8) | load<u8>(end);
  if (load<u8>(end) !== QUOTE) return NOT_PLAIN;
  const known = KNOWN_TAGS + (<i32>((packed * 0x9e3779b1) >> 32) & 0xff) * 8;
  const isShort = end - at <= 7;
  if (isShort && packed !== 0 && load<u64>(known) === packed) return end;
  if (!isLanguageTag(at, end)) return NOT_PLAIN;
  if (isShort) store<u64>(known, packed);
  return end;
}

/** The longest is `x-default`. */
const MAX_TAG_LENGTH: i32 = 9;

/** Where the last found priority ends for the output, without trailing zeros. */
export let priorityEnd: i32 = 0;

/** Finds `0`, `1`, or one of them with up to 8 decimal places. Returns the position after it. */
export function findPriority(at: i32): i32 {
  const whole = load<u8>(at) - ZERO;
  if (whole > 1) return NOT_PLAIN;
  priorityEnd = at + 1;
  let i = at + 1;
  if (load<u8>(i) === POINT) {
    i++;
    for (; isDigit(load<u8>(i)); i++) if (load<u8>(i) !== ZERO) priorityEnd = i + 1;
    const digits = i - at - 2;
    // 1.0 is a priority, 1.1 is not.
    if (digits < 1 || digits > 8 || (whole === 1 && priorityEnd > at + 1)) return NOT_PLAIN;
  } else if (isDigit(load<u8>(i))) return NOT_PLAIN;
  return (load<u8>(i) | 0x20) === 0x65 ? NOT_PLAIN : i;
}

function isDigit(byte: u8): bool {
  return <u8>(byte - ZERO) < 10;
}
