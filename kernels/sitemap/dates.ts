/** Judges dates in the two forms of src/core/sitemap/date.ts. */
import { COLON, HYPHEN } from '../ascii.ts';

export const DATE_LENGTH: i32 = 10;
/** `2026-01-15T10:00:00` */
const TIME_END: i32 = 19;
/** `+02:00` */
const OFFSET_LENGTH: i32 = 6;
export const MAX_FRACTION_DIGITS: i32 = 9;

/** Whether the text is `YYYY-MM-DD`, or `YYYY-MM-DDThh:mm:ss[.fraction]` with a zone. The day must exist. */
export function isDate(from: i32, end: i32): bool {
  if (end - from === DATE_LENGTH) return isDay(from, HYPHEN);
  return (
    end - from > TIME_END && isTime(from + DATE_LENGTH) && isDay(from, HYPHEN) && isZone(from + TIME_END, end)
  );
}

export function isDay(at: i32, separator: u8): bool {
  const year = twoDigits(at) * 100 + twoDigits(at + 2);
  const month = twoDigits(at + 5);
  const day = twoDigits(at + 8);
  return (
    isWithin(year, 1, 9999) &&
    isWithin(month, 1, 12) &&
    load<u8>(at + 4) === separator &&
    load<u8>(at + 7) === separator &&
    isWithin(day, 1, day <= 28 ? 28 : daysInMonth(year, month))
  );
}

function daysInMonth(year: i32, month: i32): i32 {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isTime(at: i32): bool {
  // Databases write a blank in place of `T`, so dates of databases are refused here.
  if (load<u8>(at) !== 0x54 || load<u8>(at + 3) !== COLON || load<u8>(at + 6) !== COLON) return false;
  return twoDigits(at + 1) < 24 && twoDigits(at + 4) < 60 && twoDigits(at + 7) < 60;
}

/** Returns whether a zone stands here, with or without a fraction before it. */
function isZone(at: i32, end: i32): bool {
  let i = at;
  if (load<u8>(i) === 0x2e) {
    const digits = ++i;
    while (<u8>(load<u8>(i) - 0x30) < 10) i++;
    if (!isWithin(i - digits, 1, MAX_FRACTION_DIGITS)) return false;
  }
  if (load<u8>(i) === 0x5a) return i + 1 === end;
  const sign = load<u8>(i);
  const hours = twoDigits(i + 1);
  const minutes = twoDigits(i + 4);
  return (
    i + OFFSET_LENGTH === end &&
    (sign === 0x2b || sign === HYPHEN) &&
    load<u8>(i + 3) === COLON &&
    ((hours < 14 && minutes < 60) || (hours === 14 && minutes === 0))
  );
}

export function isWithin(number: i32, least: i32, most: i32): bool {
  return number >= least && number <= most;
}

/** Returned for anything but two digits. It is so large that no sum or product with it is within a range. */
const NO_NUMBER: i32 = 1_000_000;

export function twoDigits(at: i32): i32 {
  const tens = <u8>(load<u8>(at) - 0x30);
  const ones = <u8>(load<u8>(at + 1) - 0x30);
  return tens < 10 && ones < 10 ? <i32>tens * 10 + <i32>ones : NO_NUMBER;
}
