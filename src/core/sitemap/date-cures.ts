/**
 * Finds the parameters of an upload under which a refused date has one meaning. Dates that were accepted must keep their meaning, so no
 * cure changes a spelling that the client has chosen.
 */
import { type DateSpelling, type Reading, WIDE_READING } from './reading.ts';
import { DateReader } from './wide-dates.ts';

/**
 * The parameters of a reading that accepts the date. `timezone` is present if the date needs a zone and names none. UTC stands for the zone
 * that only the client knows.
 */
export interface DateCure {
  readonly dates?: DateSpelling;
  readonly timezone?: 'UTC';
}

/** Matches messages about dates. Members that are no dates have other messages. */
const OF_DATES = /^must be a date|add dates=|add timezone=/;
const ORDERS = ['dmy', 'mdy'] as const;

const readers = new Map<string, DateReader>();
/** The most readers that are kept. Clients have many zones. */
const MAX_READERS = 100;

/** Returns all cures of a refused date. The cures differ in `dates`. `reading`: undefined for a form that takes only dates of W3C. */
export function curesOfDate(value: unknown, message: string, reading: Reading | undefined): DateCure[] {
  if ((typeof value !== 'string' && typeof value !== 'number') || !OF_DATES.test(message)) return [];
  const isWide = reading !== undefined && reading.dates !== 'w3c';
  if (isWide && reading.dates !== 'iso')
    return zoneFor(value, reading) === 'UTC' ? [{ timezone: 'UTC' }] : [];
  // A year, or a date without hyphens, is no number of days or seconds.
  const read = readerFor(WIDE_READING).read(value);
  if ('problem' in read && !OF_DATES.test(read.problem)) return [];
  const spellings: readonly DateSpelling[] = isNumber(value) ? [spellingOfNumber(Number(value))] : ORDERS;
  return (['iso', ...spellings] as const).flatMap((dates) => {
    const timezone = zoneFor(value, { ...WIDE_READING, ...reading, dates });
    if (timezone === undefined) return [];
    const isChange = !isWide || dates !== 'iso';
    return isChange || timezone !== ''
      ? [{ ...(isChange && { dates }), ...(timezone !== '' && { timezone }) }]
      : [];
  });
}

/** Returns the cures that mend all dates of two groups. */
export function commonCures(some: readonly DateCure[], others: readonly DateCure[]): DateCure[] {
  return some.flatMap((cure) => {
    const same = others.find(({ dates }) => dates === cure.dates);
    return same === undefined ? [] : [{ ...cure, ...same }];
  });
}

/** If a cure needs no spelling but `iso`, returns only this cure. If no cure is so plain, returns all cures. */
export function plainestCures(cures: readonly DateCure[]): readonly DateCure[] {
  const plain = cures.find(({ dates = 'iso' }) => dates === 'iso');
  return plain === undefined ? cures : [plain];
}

/** Returns the zone that makes the date readable: '' if the date needs none; undefined if no zone helps. */
function zoneFor(value: string | number, reading: Reading): '' | 'UTC' | undefined {
  if ('date' in readerFor(reading).read(value)) return '';
  if (reading.timezone !== undefined) return undefined;
  return 'date' in readerFor({ ...reading, timezone: 'UTC' }).read(value) ? 'UTC' : undefined;
}

const isNumber = (value: string | number) => /^\d+(?:\.\d+)?$/.test(String(value));

/** Returns the spelling that fits a number by its size. Every other spelling gives the number a year that no page has. */
export function spellingOfNumber(number: number): DateSpelling {
  if (number < 1e6) return 'excel';
  if (number < 1e11) return 'unix-seconds';
  return number < 1e14 ? 'unix-millis' : 'unix-micros';
}

function readerFor(reading: Reading): DateReader {
  const key = `${reading.dates} ${reading.timezone}`;
  let reader = readers.get(key);
  if (reader === undefined) {
    if (readers.size === MAX_READERS) readers.clear();
    reader = new DateReader(reading);
    readers.set(key, reader);
  }
  return reader;
}
