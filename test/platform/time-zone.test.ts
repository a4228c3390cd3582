import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findTimeZone, MAX_ZONE_YEAR, MIN_ZONE_YEAR } from '../../src/platform/time-zone.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The time on the wall, by another way than the zone's own. */
function wallOf(name: string, utcMs: number): number {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: name,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return Date.parse(`${format.format(utcMs).replace(' ', 'T')}Z`);
}

const ZONES = Intl.supportedValuesOf('timeZone').filter((name) => name.includes('/'));

test('in any zone at any time, the offset leads to an instant that the clock shows at that time', () => {
  const anyTime = fc.integer({ min: Date.UTC(MIN_ZONE_YEAR, 1), max: Date.UTC(MAX_ZONE_YEAR, 1) });
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), anyTime, (name, time) => {
      // Monrovia had an offset with seconds until 1972.
      fc.pre(name !== 'Africa/Monrovia');
      const local = Math.floor(time / 1000) * 1000;
      const offset = findTimeZone(name)!.offsetAt(local);
      if (offset !== undefined) {
        expect(wallOf(name, local - offset * MINUTE_MS)).toBe(local);
        return;
      }
      // A clock that skips a time shows it at no instant.
      for (let shift = -14 * HOUR_MS; shift <= 14 * HOUR_MS; shift += 15 * MINUTE_MS) {
        expect(wallOf(name, local + shift)).not.toBe(local);
      }
    }),
    { numRuns: 4 * PROPERTY_RUNS },
  );
});

test('a day has an offset exactly if each of its minutes has the same, once', () => {
  const anyDay = fc.integer({ min: 20_000, max: 22_000 });
  fc.assert(
    fc.property(
      fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Gaza'),
      anyDay,
      (name, day) => {
        const zone = findTimeZone(name)!;
        const offset = zone.offsetOfDay(day * DAY_MS);
        const minutes = Array.from({ length: 24 * 4 }, (_, i) =>
          zone.offsetAt(day * DAY_MS + i * 15 * MINUTE_MS),
        );
        if (offset !== undefined) expect(new Set(minutes)).toEqual(new Set([offset]));
        else expect(new Set([...minutes, zone.offsetAt((day + 1) * DAY_MS)]).size).toBeGreaterThan(1);
      },
    ),
    { numRuns: 20 * PROPERTY_RUNS },
  );
});

test('a skipped hour has no offset, and a doubled hour its first one', () => {
  const berlin = findTimeZone('Europe/Berlin')!;
  const at = (text: string) => berlin.offsetAt(Date.parse(`${text}Z`));
  expect(at('2026-03-29T01:59:59')).toBe(60);
  expect(at('2026-03-29T02:00:00')).toBeUndefined();
  expect(at('2026-03-29T02:59:59')).toBeUndefined();
  expect(at('2026-03-29T03:00:00')).toBe(120);
  expect(at('2026-10-25T02:00:00')).toBe(120);
  expect(at('2026-10-25T02:59:59')).toBe(120);
  expect(at('2026-10-25T03:00:00')).toBe(60);
  expect(berlin.offsetOfDay(Date.parse('2026-03-29'))).toBeUndefined();
  expect(berlin.offsetOfDay(Date.parse('2026-10-25'))).toBeUndefined();
  expect(berlin.offsetOfDay(Date.parse('2026-10-26'))).toBe(60);
  expect(at('1969-12-31T12:00:00')).toBeUndefined();
  expect(at('2101-01-01T00:00:00')).toBeUndefined();
});

test.each([
  ['UTC', 0],
  ['+02:00', 120],
  ['-05:30', -330],
  ['-14:00', -840],
])('the offset of %s is the same in all years', (name, offset) => {
  for (const year of [1, 1969, 2026, 9999]) {
    expect(findTimeZone(name)!.offsetAt(new Date(0).setUTCFullYear(year))).toBe(offset);
  }
});

test.each([
  '',
  'CET',
  'PST',
  'EST5EDT',
  'Berlin',
  'Europe/Nowhere',
  '+2',
  '+02',
  '+14:01',
  '+02:60',
  'utc',
  'GMT+2',
  '../etc',
])('%s is no zone', (name) => {
  expect(findTimeZone(name)).toBeUndefined();
});
