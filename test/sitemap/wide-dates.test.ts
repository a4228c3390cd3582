import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSitemapDate } from '../../src/core/sitemap/date.ts';
import type { Reading } from '../../src/core/sitemap/reading.ts';
import { DateReader } from '../../src/core/sitemap/wide-dates.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const ISO: Reading = { dates: 'iso' };
const read = (given: string | number, reading = ISO) => {
  const result = new DateReader(reading).read(given);
  return 'problem' in result ? { problem: result.problem } : result.date;
};
const problem = (part: string) => ({ problem: expect.stringContaining(part) });

describe('dates of databases have one spelling', () => {
  test.each([
    ['2026-01-15', '2026-01-15'],
    ['2026/01/15', '2026-01-15'],
    ['2026-01-15T10:00:00Z', '2026-01-15T10:00:00Z'],
    ['2026-01-15 10:00:00.123+00', '2026-01-15T10:00:00.123+00:00'],
    ['2026-01-15 10:00:00.123-0800', '2026-01-15T10:00:00.123-08:00'],
    ['2026-01-15 10:00:00.123 -0800', '2026-01-15T10:00:00.123-08:00'],
    ['2026-01-15 10:00:00+05:30', '2026-01-15T10:00:00+05:30'],
    ['2026-01-15 10:00:00.123 UTC', '2026-01-15T10:00:00.123Z'],
    ['2026-01-15 10:00:00 GMT', '2026-01-15T10:00:00Z'],
    ['2026-01-15 10:00Z', '2026-01-15T10:00:00Z'],
    ['2026-01-15T10:00+01:00', '2026-01-15T10:00:00+01:00'],
    ['2026/01/15 10:00:00.123Z', '2026-01-15T10:00:00.123Z'],
    ['2026-01-15 10:00:00.123000+00:00', '2026-01-15T10:00:00.123000+00:00'],
    ['2026-01-15T10:00:00.1234567891234Z', '2026-01-15T10:00:00.123456789Z'],
    ['Thu, 15 Jan 2026 10:00:00 GMT', '2026-01-15T10:00:00Z'],
    ['2026-01-15 10:00:00+14', '2026-01-15T10:00:00+14:00'],
  ])('%s', (given, date) => {
    expect(read(given)).toBe(date);
  });
});

describe('a date with several meanings, or none, is a problem with its cure', () => {
  test.each([
    ['2026-01-15 10:00:00', 'add timezone='],
    ['2026/01/15 10:00:00.123', 'add timezone='],
    ['2026-01-15T10:00', 'add timezone='],
    ['0000-00-00 00:00:00.000', 'zero date'],
    ['0000-00-00', 'zero date'],
    ['infinity', 'infinite'],
    ['-infinity', 'infinite'],
    ['2026-01-15 10:00:00 PST', 'name of a time zone'],
    ['2026-01-15 10:00:00 America/New_York', 'name of a time zone'],
    ['1890-01-15 10:00:00+00:53:28', 'offset with seconds'],
    ['15.01.2026', 'dates=dmy'],
    ['1/15/2026 10:00', 'dates=mdy'],
    ['46037', 'dates=excel'],
    ['2026', 'is a year'],
    [2026, 'is a year'],
    ['1767225600000000000', 'nanoseconds'],
    [20_260_115, 'without hyphens'],
    ['20260115103000', 'without hyphens'],
    ['20261315', 'unix-seconds'],
    [1_768_471_200_123, 'unix-millis'],
    ['1768471200.123000', 'unix-seconds'],
    ['Thu 15 Jan 10:00:00.123 2026 UTC', 'must be a date like'],
    ['Fri, 15 Jan 2026 10:00:00 GMT', 'must be a date like'],
    ['2026-02-29 10:00:00Z', 'must be a date like'],
    ['2026-01-15 24:00:00Z', 'must be a date like'],
    ['2026-01-15 10:00:60Z', 'must be a date like'],
    ['2026-01-15 10:00:00+15', 'must be a date like'],
    ['2026-01/15', 'must be a date like'],
    ['2026-01-15  10:00:00Z', 'must be a date like'],
    ['2026-01-15 10:00:00  Z', 'must be a date like'],
    ['2026-01-15 10:00:00 ', 'must be a date like'],
    ['2026-01-15 10:00:00,5Z', 'must be a date like'],
    ['2026-01-15 10:00.5Z', 'must be a date like'],
    [' 2026-01-15', 'must be a date like'],
    ['yesterday', 'must be a date like'],
  ])('%s', (given, part) => {
    expect(read(given)).toEqual(problem(part));
  });

  test.each([
    ['15.01.2026 10:00 CET', 'name of a time zone'],
    ['15.01.2026 10:00 pm', 'must be a date like'],
    ['15.01.2026 10.00', 'must be a date like'],
  ])('%s is not told to say the order that it has', (given, part) => {
    expect(read(given)).toEqual(problem('dates=dmy'));
    expect(read(given, { ...ISO, dates: 'dmy' })).toEqual(problem(part));
  });
});

describe('with a zone', () => {
  test.each([
    ['UTC', '2026-01-15 10:00:00.123', '2026-01-15T10:00:00.123Z'],
    ['+02:00', '2026-01-15T10:00', '2026-01-15T10:00:00+02:00'],
    ['Europe/Berlin', '2026-01-15 10:00:00', '2026-01-15T10:00:00+01:00'],
    ['Europe/Berlin', '2026-07-15 10:00:00', '2026-07-15T10:00:00+02:00'],
    ['America/St_Johns', '2026-07-15 10:00:00', '2026-07-15T10:00:00-02:30'],
    ['Europe/Berlin', '2026-10-25 02:30:00', '2026-10-25T02:30:00+02:00'],
    ['Europe/Berlin', '2026-01-15 10:00:00Z', '2026-01-15T10:00:00Z'],
    ['Europe/Berlin', '2026-01-15', '2026-01-15'],
  ])('%s: %s', (timezone, given, date) => {
    expect(read(given, { ...ISO, timezone })).toBe(date);
  });

  test.each([
    ['2026-03-29 02:30:00', 'skips this time'],
    ['1969-12-31 10:00:00', 'the years 1970 to 2100'],
  ])('%s has no offset', (given, part) => {
    expect(read(given, { ...ISO, timezone: 'Europe/Berlin' })).toEqual(problem(part));
  });
});

describe('with a spelling', () => {
  test.each<[Reading['dates'], string | number, unknown]>([
    ['dmy', '15.01.2026', '2026-01-15'],
    ['dmy', '3/4/2026', '2026-04-03'],
    ['dmy', '15.01.2026 10:00', '2026-01-15T10:00:00Z'],
    ['dmy', '15.01.2026, 9:05:07', '2026-01-15T09:05:07Z'],
    ['dmy', '15.01.2026 10:00:00.123 UTC', '2026-01-15T10:00:00.123Z'],
    ['dmy', '2026-01-15', '2026-01-15'],
    ['dmy', '1/15/2026', problem('must be a date')],
    ['mdy', '1/15/2026 10:00', '2026-01-15T10:00:00Z'],
    ['mdy', '3/4/2026 9:05 PM', '2026-03-04T21:05:00Z'],
    ['mdy', '3/4/2026 12:05 AM', '2026-03-04T00:05:00Z'],
    ['mdy', '3/4/2026 13:05 PM', problem('must be a date')],
    ['mdy', '01/15/2026 10:00:00.123 UTC', '2026-01-15T10:00:00.123Z'],
    ['mdy', '15.01.2026', problem('must be a date')],
    ['mdy', '1/15/26', problem('must be a date')],
    ['excel', '46037', '2026-01-15'],
    ['excel', 46_037, '2026-01-15'],
    ['excel', '46037.4166666667', '2026-01-15T10:00:00Z'],
    ['excel', '46037.41666809028', '2026-01-15T10:00:00Z'],
    ['excel', '61', '1900-03-01'],
    ['excel', '60', problem('from March 1900')],
    ['excel', '9999999', problem('from March 1900')],
    ['excel', '2026', '1905-07-18'],
    ['unix-seconds', '1768471200', '2026-01-15T10:00:00Z'],
    ['unix-seconds', '1768471200.123000', '2026-01-15T10:00:00.123Z'],
    ['unix-millis', 1_768_471_200_123, '2026-01-15T10:00:00.123Z'],
    ['unix-millis', '1768471200000', '2026-01-15T10:00:00Z'],
    ['unix-micros', '1768471200123456', '2026-01-15T10:00:00.123456Z'],
    ['unix-micros', '5', '1970-01-01T00:00:00.000005Z'],
    ['unix-micros', '1767225600000000000', problem('nanoseconds')],
    ['unix-seconds', '1768471200123', problem('from 1970 to the year 9999')],
    ['unix-seconds', '-5', problem('from 1970 to the year 9999')],
    ['unix-seconds', '-', problem('must be a date')],
  ])('%s: %s', (dates, given, expected) => {
    expect(read(given, { dates, timezone: 'UTC' })).toEqual(expected);
  });

  test('a time of a spreadsheet needs a zone, a day does not', () => {
    expect(read('46037.5', { dates: 'excel' })).toEqual(problem('add timezone='));
    expect(read('46037', { dates: 'excel' })).toBe('2026-01-15');
  });
});

test('any instant that is read is the instant that was written', () => {
  const instant = fc.date({ min: new Date('1970-01-02'), max: new Date('2099-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(instant, fc.integer({ min: -840, max: 840 }), (date, offset) => {
      const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
      const sign = offset < 0 ? '-' : '+';
      const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((n) =>
        String(n).padStart(2, '0'),
      );
      for (const day of [local, local.replaceAll('-', '/')]) {
        for (const between of ['T', ' ']) {
          for (const zone of [`${sign}${hours}:${minutes}`, ` ${sign}${hours}${minutes}`]) {
            const result = read(`${day.replace('T', between)}${zone}`) as string;
            expect(isSitemapDate(result)).toBe(true);
            expect(Date.parse(result)).toBe(date.getTime());
          }
        }
      }
      expect(read(date.getTime(), { dates: 'unix-millis' })).toSatisfy(
        (result: string) => isSitemapDate(result) && Date.parse(result) === date.getTime(),
      );
    }),
    { numRuns: PROPERTY_RUNS },
  );
});
