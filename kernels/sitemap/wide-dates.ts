/**
 * Dates beyond W3C (src/core/sitemap/wide-dates.ts): rewrites the spellings of databases to the spelling of dates.ts, and asks the host
 * for all others. Without a reading, only dates.ts counts.
 */
import {
  NO_OFFSET,
  READ_KIND_BITS,
  READ_LENGTH_BITS,
  ZONED,
  ZONELESS,
} from '../../src/core/sitemap/kernel-layout.ts';
import { COLON, HYPHEN, PLUS, POINT, SLASH, SPACE, ZERO } from '../ascii.ts';
import { copy } from '../vectors.ts';
import { DATE_LENGTH, isDate, isDay, isWithin, MAX_FRACTION_DIGITS, twoDigits } from './dates.ts';
import { offsetOfDay, readDate } from './host.ts';
import { skipNumber } from './numbers.ts';
import { keepScratch, LEFT, scratchFor, setValue, valueEnd, valueStart } from './strings.ts';

/** `2026-01-15T10:00:00.123456789+02:00`, and room for a vector more. */
const MAX_LENGTH: i32 = 64;
const LETTER_T: u8 = 0x54;
const LETTER_Z: u8 = 0x5a;
/** `UTC` and `GMT` as the lower bytes of a word. */
const UTC: u32 = 0x435455;
const GMT: u32 = 0x544d47;
/** `:00` */
const NO_SECONDS: u32 = 0x30303a;

export let isWide: bool = false;
let hasZone: bool = false;
let isUtc: bool = false;

/** The number of dates that got their zone from the reading, and the kinds of dates. The host sets both to 0. */
export let zonedDates: i32 = 0;
export let dateKinds: i32 = 0;
/** The same sums for the current entry. They are dropped if the entry is left to the host. */
let newZoned: i32 = 0;
let newKinds: i32 = 0;

/** A cache of offsets that the host returned. The lowest bits of a day choose its place. A place has a tag of the day, then the offset. */
const OFFSETS = memory.data(4096 * 8, 16);
const PLACES: i32 = 4096;
/** A tag is the day plus this number, so no day of the calendar has the tag 0. */
const TAG: i32 = 1_000_000;

export function setReading(wide: bool, zone: bool, utc: bool): void {
  isWide = wide;
  hasZone = zone;
  isUtc = utc;
  memory.fill(OFFSETS, 0, PLACES * 8);
}

export function beginDates(): void {
  newZoned = newKinds = 0;
}

export function keepDates(): void {
  zonedDates += newZoned;
  dateKinds |= newKinds;
}

/** Judges the date in `value`, and rewrites it if it has another spelling. */
export function readDateText(): bool {
  if (isDate(valueStart, valueEnd)) {
    if (valueEnd - valueStart !== DATE_LENGTH) newKinds |= ZONED;
    return true;
  }
  if (!isWide) return false;
  const to = scratchFor(MAX_LENGTH);
  if (to === LEFT) return false;
  const written = rewrite(valueStart, valueEnd, to);
  if (written === LEFT) return askHost(valueStart, valueEnd, false, to);
  setValue(to, written);
  keepScratch(written);
  return true;
}

/** Reads the number at `at` as a date. Returns the position after it. */
export function readDateNumber(at: i32): i32 {
  const end = skipNumber(at);
  const to = scratchFor(MAX_LENGTH);
  return end !== LEFT && to !== LEFT && askHost(at, end, true, to) ? end : LEFT;
}

function askHost(from: i32, end: i32, isNumber: bool, to: i32): bool {
  const read = readDate(from, end, isNumber, to);
  if (read === 0) return false;
  const written = to + (read & ((1 << READ_LENGTH_BITS) - 1));
  newKinds |= (read >> READ_LENGTH_BITS) & ((1 << READ_KIND_BITS) - 1);
  newZoned += read >> (READ_LENGTH_BITS + READ_KIND_BITS);
  setValue(to, written);
  keepScratch(written);
  return true;
}

/**
 * Writes a date to `to`. Returns the position after it, or LEFT. A quote stands at `end`, and no date has a quote. So only the last step
 * compares with `end`.
 */
function rewrite(from: i32, end: i32, to: i32): i32 {
  if (!isDay(from, HYPHEN) && !isDay(from, SLASH)) return LEFT;
  copy(from, DATE_LENGTH, to);
  store<u8>(to, HYPHEN, 4);
  store<u8>(to, HYPHEN, 7);
  let i = from + DATE_LENGTH;
  let o = to + DATE_LENGTH;
  if (i === end) return o;
  const between = load<u8>(i);
  if (between !== LETTER_T && between !== SPACE) return LEFT;
  if (twoDigits(i + 1) >= 24 || load<u8>(i + 3) !== COLON || twoDigits(i + 4) >= 60) return LEFT;
  store<u8>(o, LETTER_T);
  // `hh:mm`
  store<u32>(o, load<u32>(i, 1), 1);
  store<u8>(o, load<u8>(i, 5), 5);
  i += 6;
  o += 6;
  store<u32>(o, NO_SECONDS);
  if (load<u8>(i) === COLON) {
    if (twoDigits(i + 1) >= 60) return LEFT;
    store<u16>(o, load<u16>(i, 1), 1);
    i += 3;
    if (load<u8>(i) === POINT) {
      const digits = i + 1;
      i = digits;
      while (<u8>(load<u8>(i) - ZERO) < 10) i++;
      if (i === digits) return LEFT;
      const kept = min<i32>(i - digits, MAX_FRACTION_DIGITS);
      store<u8>(o, POINT, 3);
      copy(digits, kept, o + 4);
      o += 1 + kept;
    }
  }
  o += 3;
  return i === end ? writeKnownZone(to, o) : writeZone(i, end, o);
}

/** Writes the zone that stands from `at` to `end`. */
function writeZone(at: i32, end: i32, to: i32): i32 {
  const i = load<u8>(at) === SPACE ? at + 1 : at;
  newKinds |= ZONED;
  const name = load<u32>(i) & 0xffffff;
  if ((load<u8>(i) === LETTER_Z && i + 1 === end) || ((name === UTC || name === GMT) && i + 3 === end)) {
    store<u8>(to, LETTER_Z);
    return to + 1;
  }
  const sign = load<u8>(i);
  if (sign !== PLUS && sign !== HYPHEN) return LEFT;
  const hours = twoDigits(i + 1);
  const at4 = load<u8>(i, 3) === COLON ? i + 4 : i + 3;
  const hasMinutes = i + 3 !== end;
  const minutes = hasMinutes ? twoDigits(at4) : 0;
  if (hasMinutes && at4 + 2 !== end) return LEFT;
  if (!(isWithin(hours, 0, 13) && isWithin(minutes, 0, 59)) && !(hours === 14 && minutes === 0)) return LEFT;
  return writeOffset(sign, hours, minutes, to);
}

function writeOffset(sign: u8, hours: i32, minutes: i32, to: i32): i32 {
  store<u8>(to, sign);
  writeTwo(hours, to + 1);
  store<u8>(to, COLON, 3);
  writeTwo(minutes, to + 4);
  return to + 6;
}

function writeTwo(number: i32, to: i32): void {
  store<u8>(to, <u8>(number / 10) + ZERO);
  store<u8>(to, <u8>(number % 10) + ZERO, 1);
}

/** Writes the zone of the reading behind the date that begins at `date`. */
function writeKnownZone(date: i32, to: i32): i32 {
  if (!hasZone) return LEFT;
  newKinds |= ZONELESS;
  if (isUtc) {
    newZoned++;
    store<u8>(to, LETTER_Z);
    return to + 1;
  }
  const offset = knownOffset(dayNumber(date));
  if (offset === NO_OFFSET) return LEFT;
  newZoned++;
  const east = abs<i32>(offset);
  return writeOffset(offset < 0 ? HYPHEN : PLUS, east / 60, east % 60, to);
}

function knownOffset(day: i32): i32 {
  const place = OFFSETS + (day & (PLACES - 1)) * 8;
  if (load<i32>(place) === day + TAG) return load<i32>(place, 4);
  const offset = offsetOfDay(day);
  store<i32>(place, day + TAG);
  store<i32>(place, offset, 4);
  return offset;
}

/** Days since 1970 of `YYYY-MM-DD`, in the Gregorian calendar, extended to the past. Years begin with March here. */
function dayNumber(at: i32): i32 {
  const month = twoDigits(at + 5);
  const year = twoDigits(at) * 100 + twoDigits(at + 2) - <i32>(month < 3);
  const era = year / 400;
  const yearOfEra = year - era * 400;
  const dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + twoDigits(at + 8) - 1;
  return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
}
