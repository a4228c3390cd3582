/**
 * Reads dates as databases and spreadsheets write them, and gives each date its one spelling in W3C Datetime (date.ts). Guesses nothing: a
 * date with two meanings is a problem, whose message has the cure.
 *
 * ```
 * day      YYYY-MM-DD or YYYY/MM/DD          with dmy, mdy: D.M.YYYY, with . / or -
 * time     T or blank, hh:mm[:ss[.f…]]       missing seconds become :00, digits after the ninth are cut
 *                                            with dmy, mdy: also a comma before the blank, h:mm, and AM or PM
 * zone     nothing, or after a blank or none: Z, UTC, GMT, ±hh, ±hhmm, ±hh:mm
 * others   Thu, 15 Jan 2026 10:00:00 GMT     with excel, unix-…: a number
 * ```
 */
import { findTimeZone, MAX_ZONE_YEAR, MIN_ZONE_YEAR, type TimeZone } from '../../platform/time-zone.ts';
import { isSitemapDate } from './date.ts';
import { DATE_KINDS, NO_NOTES, type Reading, type ReadingNotes } from './reading.ts';

export type ReadDate = { readonly date: string; readonly notes: ReadingNotes } | { readonly problem: string };

const FRACTION = String.raw`(?:\.(\d+))?`;
const ZONE = String.raw`(?: ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?`;
const ISO = new RegExp(
  String.raw`^(\d{4})([-/])(\d\d)\2(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)${FRACTION})?${ZONE})?$`,
);
const DAY_OR_MONTH_FIRST = new RegExp(
  String.raw`^(\d\d?)([./-])(\d\d?)\2(\d{4})(?:(?:T|,? )(\d\d?):(\d\d)(?::(\d\d)${FRACTION})?(?: ?([AP]M))?${ZONE})?$`,
);
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d?) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const NUMBER = /^(\d{1,17})(?:\.(\d+))?$/;

const MAX_FRACTION_DIGITS = 9;
const DAY_SECONDS = 86_400;
/** Spreadsheets count days from this day. Their year 1900 has a 29 February, so days before MIN_EXCEL_DAYS differ from ours. */
const EXCEL_EPOCH_DAYS = -25_569;
const MIN_EXCEL_DAYS = 61;
/** The last second of the year 9999. */
const MAX_SECONDS = 253_402_300_799;
const UNIX_DIGITS = { 'unix-seconds': 0, 'unix-millis': 3, 'unix-micros': 6 } as const;

const NO_DATE = 'must be a date like 2026-01-15, or a date and time with a zone like 2026-01-15T10:00:00Z';
const NO_ZONE = 'has no time zone: add timezone=UTC, or the zone of its clock, as in timezone=Europe/Berlin';
const NO_ORDER = 'begins with the day or the month: add dates=dmy for the day, dates=mdy for the month';

/** Problems by the text of the date, for texts that match no pattern above. The first pattern that matches the text counts. */
const PROBLEMS: readonly [RegExp, string][] = [
  [/^0000[-/]00[-/]00/, 'is a zero date: leave it empty, for instance by NULLIF'],
  [/^-?infinity$/i, 'is infinite: leave it empty, for instance by NULLIF'],
  [/^\d\d?[./-]\d\d?[./-]\d{4}(?!\d)/, NO_ORDER],
  [
    /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)?$/,
    'is a date without hyphens: write it like 2026-01-15',
  ],
  [/^(?:19|20)\d\d$/, 'is a year: write a day, like 2026-01-15'],
  [/^\d{18,20}$/, 'is a number of nanoseconds: write microseconds, with dates=unix-micros'],
  [
    /^\d+(?:\.\d+)?$/,
    'is a number: add dates=excel for days of a spreadsheet, or dates=unix-seconds, unix-millis or unix-micros',
  ],
  [
    /^\d{4}[-/]\d\d[-/]\d\d[T ][\d:.]+ ?[+-]\d\d:?\d\d:?\d\d$/,
    'has an offset with seconds: write one like +02:00',
  ],
  [
    /^(?:\d{4}[-/]\d\d[-/]\d\d|\d\d?[./-]\d\d?[./-]\d{4})[T ][\d:.]+ ?(?![AP]M$)[A-Z]{2}/i,
    'has the name of a time zone, which may have several meanings: write an offset like +02:00, or UTC',
  ],
];

export class DateReader {
  readonly #spelling: Reading['dates'];
  readonly zone: TimeZone | undefined;

  constructor({ dates, timezone }: Reading) {
    this.#spelling = dates;
    this.zone = timezone === undefined ? undefined : findTimeZone(timezone);
  }

  /** Reads a date. `given`: a value of JSON, a text or a number. */
  read(given: string | number): ReadDate {
    const text = String(given);
    if (typeof given === 'string' && isSitemapDate(text)) {
      return found(text, text.length === 10 ? 0 : DATE_KINDS.zoned);
    }
    if (typeof given === 'string') {
      const read = this.#iso(text) ?? this.#httpDate(text) ?? this.#dayOrMonthFirst(text);
      if (read !== undefined) return read;
    }
    const number = NUMBER.exec(text);
    if (number !== null && this.#spelling === 'excel') return this.#excel(Number(text));
    if (number !== null && this.#spelling in UNIX_DIGITS) {
      return unixDate(number[1]!, number[2] ?? '', this.#spelling as keyof typeof UNIX_DIGITS);
    }
    if (this.#spelling in UNIX_DIGITS && /^-\d/.test(text)) {
      return { problem: outOfRange('1970', this.#spelling) };
    }
    const hasOrder = this.#spelling === 'dmy' || this.#spelling === 'mdy';
    const known = PROBLEMS.find(
      ([pattern, problem]) => pattern.test(text) && !(hasOrder && problem === NO_ORDER),
    );
    return { problem: known?.[1] ?? NO_DATE };
  }

  #iso(text: string): ReadDate | undefined {
    const match = ISO.exec(text);
    if (match === null) return undefined;
    const [, year, , month, day, hours, minutes, seconds, fraction, zone] = match;
    if (year === '0000') return undefined;
    return this.#date(`${year}-${month}-${day}`, timeOf(hours, minutes, seconds, fraction), zone);
  }

  #dayOrMonthFirst(text: string): ReadDate | undefined {
    if (this.#spelling !== 'dmy' && this.#spelling !== 'mdy') return undefined;
    const match = DAY_OR_MONTH_FIRST.exec(text);
    if (match === null) return undefined;
    const [, first, , second, year, hours, minutes, seconds, fraction, half, zone] = match;
    const [day, month] = this.#spelling === 'dmy' ? [first, second] : [second, first];
    const time = timeOf(hoursOf(hours, half), minutes, seconds, fraction);
    return this.#date(`${year}-${two(month!)}-${two(day!)}`, time, zone, DATE_KINDS.dayOrMonthFirst);
  }

  #httpDate(text: string): ReadDate | undefined {
    const match = HTTP_DATE.exec(text);
    if (match === null) return undefined;
    const [, weekday, day, monthName, year, hours, minutes, seconds] = match;
    const month = two(String(MONTHS.indexOf(monthName!) + 1));
    const date = `${year}-${month}-${two(day!)}`;
    if (WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()] !== weekday) return { problem: NO_DATE };
    return this.#date(date, timeOf(hours, minutes, seconds, undefined), 'GMT', DATE_KINDS.httpDate);
  }

  #excel(days: number): ReadDate {
    const seconds = Math.round((days + EXCEL_EPOCH_DAYS) * DAY_SECONDS);
    if (days < MIN_EXCEL_DAYS || seconds > MAX_SECONDS) return { problem: outOfRange('March 1900', 'excel') };
    const [date, time] = new Date(seconds * 1000).toISOString().slice(0, 19).split('T') as [string, string];
    return this.#date(date, Number.isInteger(days) ? undefined : time, undefined, DATE_KINDS.number);
  }

  /** `time`: hh:mm:ss[.f]. `kind`: one of DATE_KINDS, or 0 if the zone decides the kind. */
  #date(date: string, time: string | undefined, zone: string | undefined, kind = 0): ReadDate {
    if (!isSitemapDate(date)) return { problem: NO_DATE };
    if (time === undefined) return found(date, kind);
    if (!isSitemapDate(`${date}T${time}Z`)) return { problem: NO_DATE };
    if (zone !== undefined) {
      const written = `${date}T${time}${writtenZone(zone)}`;
      return isSitemapDate(written) ? found(written, kind || DATE_KINDS.zoned) : { problem: NO_DATE };
    }
    if (this.zone === undefined) return { problem: NO_ZONE };
    if (this.zone.isUtc) return found(`${date}T${time}Z`, kind || DATE_KINDS.zoneless, 1);
    const offset = this.zone.offsetAt(Date.parse(`${date}T${time.slice(0, 8)}Z`));
    if (offset === undefined) return { problem: skipped(this.zone, Number(date.slice(0, 4))) };
    return found(`${date}T${time}${writtenOffset(offset)}`, kind || DATE_KINDS.zoneless, 1);
  }
}

function found(date: string, kind: number, zoned = 0): ReadDate {
  return { date, notes: kind === 0 ? NO_NOTES : { ...NO_NOTES, zoned, dateKinds: kind } };
}

function skipped({ name }: TimeZone, year: number): string {
  return year >= MIN_ZONE_YEAR && year <= MAX_ZONE_YEAR
    ? `does not exist in ${name}: its clock skips this time`
    : `has no time zone: ${name} gives one to the years ${MIN_ZONE_YEAR} to ${MAX_ZONE_YEAR}`;
}

function timeOf(
  hours: string | undefined,
  minutes: string | undefined,
  seconds: string | undefined,
  fraction: string | undefined,
): string | undefined {
  if (hours === undefined) return undefined;
  const digits = fraction === undefined ? '' : `.${fraction.slice(0, MAX_FRACTION_DIGITS)}`;
  return `${two(hours)}:${minutes}:${seconds ?? '00'}${digits}`;
}

/** Returns the hours of 24 for the hours of 12 with AM or PM. 13 PM and 0 AM do not exist, so they become 99, which no date accepts. */
function hoursOf(hours: string | undefined, half: string | undefined): string | undefined {
  if (hours === undefined || half === undefined) return hours;
  const number = Number(hours);
  if (number < 1 || number > 12) return '99';
  return String((number % 12) + (half === 'PM' ? 12 : 0));
}

function writtenZone(zone: string): string {
  if (!/^[+-]/.test(zone)) return 'Z';
  return `${zone.slice(0, 3)}:${zone.length === 3 ? '00' : zone.slice(-2)}`;
}

function writtenOffset(minutes: number): string {
  const [sign, east] = minutes < 0 ? ['-', -minutes] : ['+', minutes];
  return `${sign}${two(String(Math.floor(east / 60)))}:${two(String(east % 60))}`;
}

const two = (digits: string) => digits.padStart(2, '0');

function outOfRange(first: string, spelling: Reading['dates']): string {
  return `must be from ${first} to the year 9999: with dates=${spelling} it is not`;
}

function unixDate(whole: string, fraction: string, spelling: keyof typeof UNIX_DIGITS): ReadDate {
  // So many of the last digits of `whole` are a fraction of a second.
  const digits = UNIX_DIGITS[spelling];
  const padded = whole.padStart(digits + 1, '0');
  const seconds = Number(padded.slice(0, padded.length - digits));
  if (seconds > MAX_SECONDS) return { problem: outOfRange('1970', spelling) };
  const part = withoutLastZeros(
    `${padded.slice(padded.length - digits)}${fraction}`.slice(0, MAX_FRACTION_DIGITS),
  );
  const time = new Date(seconds * 1000).toISOString().slice(0, 19);
  return found(`${time}${part === '' ? '' : `.${part}`}Z`, DATE_KINDS.number);
}

/** A loop, because the time for `/0+$/` grows with the square of the length, if zeros do not end the text. */
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
