import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSitemapDate } from '../../src/core/sitemap/date.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { anyDate } from './arbitrary-entry.ts';

const digits = (value: number, length: number) => String(value).padStart(length, '0');

test('exactly the days of the calendar are dates', () => {
  const days = fc.tuple(
    fc.oneof(fc.constantFrom(1900, 2000, 2023, 2024), fc.integer({ min: 1, max: 9999 })),
    fc.nat(13),
    fc.nat(32),
  );
  fc.assert(
    fc.property(days, ([year, month, day]) => {
      const text = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
      const judge = new Date(`${text}T00:00:00Z`);
      const exists = !Number.isNaN(judge.getTime()) && judge.toISOString().startsWith(text);
      expect(isSitemapDate(text)).toBe(exists);
    }),
    { numRuns: 10 * PROPERTY_RUNS },
  );
});

test('every real date and time with a zone is accepted', () => {
  fc.assert(
    fc.property(anyDate, (text) => {
      expect(isSitemapDate(text)).toBe(true);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

describe('accepted dates', () => {
  test.each(['2026-01-15T10:00:00.1Z', '2026-01-15T23:59:59.123456789-14:00', '2024-02-29', '0001-01-01'])(
    '%s',
    (text) => {
      expect(isSitemapDate(text)).toBe(true);
    },
  );
});

describe('refused dates', () => {
  test.each([
    ['a day that does not exist', '2026-02-30'],
    ['29 February of a common year', '1900-02-29'],
    ['year 0000', '0000-01-01'],
    ['a time without a zone', '2026-01-15T10:00:00'],
    ['a time without seconds', '2026-01-15T10:00Z'],
    ['a zone without a colon', '2026-01-15T10:00:00+0200'],
    ['a zone beyond 14:00', '2026-01-15T10:00:00+14:01'],
    ['a zone with 60 minutes', '2026-01-15T10:00:00+02:60'],
    ['hour 24', '2026-01-15T24:00:00Z'],
    ['second 60', '2026-01-15T23:59:60Z'],
    ['a fraction of ten digits', '2026-01-15T10:00:00.1234567890Z'],
    ['a fraction of no digits', '2026-01-15T10:00:00.Z'],
    ['lower-case t', '2026-01-15t10:00:00Z'],
    ['lower-case z', '2026-01-15T10:00:00z'],
    ['a blank instead of T', '2026-01-15 10:00:00Z'],
    ['a week date', '2026-W03-4'],
    ['an ordinal date', '2026-015'],
    ['a year and month', '2026-01'],
    ['the basic format', '20260115'],
    ['a date with a zone', '2026-01-15Z'],
    ['a year of five digits', '12026-01-15'],
    ['a sign', '-2026-01-15'],
    ['white space around it', ' 2026-01-15'],
    ['a line end after it', '2026-01-15\n'],
    ['other digits', '２０２６-01-15'],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(isSitemapDate(text)).toBe(false);
  });
});
