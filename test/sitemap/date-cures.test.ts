import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commonCures, curesOfDate, plainestCures } from '../../src/core/sitemap/date-cures.ts';
import type { Reading } from '../../src/core/sitemap/reading.ts';
import { DateReader } from '../../src/core/sitemap/wide-dates.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const W3C = 'must be a date like 2026-01-15, or a date and time with a zone like 2026-01-15T10:00:00Z';

/** The message is that of the upload. */
function curesOf(value: string | number, reading: Reading | undefined) {
  const read =
    reading === undefined || reading.dates === 'w3c' ? { problem: W3C } : new DateReader(reading).read(value);
  return 'problem' in read ? curesOfDate(value, read.problem, reading) : [];
}

test.each<[string | number, Reading | undefined, object[]]>([
  ['1/15/2026', { dates: 'iso' }, [{ dates: 'mdy' }]],
  ['15.01.2026 10:00', { dates: 'iso' }, [{ dates: 'dmy', timezone: 'UTC' }]],
  ['15.01.2026 10:00', { dates: 'iso', timezone: 'Europe/Berlin' }, [{ dates: 'dmy' }]],
  ['3/4/2026', { dates: 'iso' }, [{ dates: 'dmy' }, { dates: 'mdy' }]],
  ['46037', { dates: 'iso' }, [{ dates: 'excel' }]],
  [1_768_471_200, { dates: 'iso' }, [{ dates: 'unix-seconds' }]],
  [1_768_471_200_123, { dates: 'iso' }, [{ dates: 'unix-millis' }]],
  ['1768471200123456', { dates: 'iso' }, [{ dates: 'unix-micros' }]],
  ['2026-01-15 10:00:00', { dates: 'iso' }, [{ timezone: 'UTC' }]],
  ['15.01.2026 10:00', { dates: 'dmy' }, [{ timezone: 'UTC' }]],
  ['2026-01-15 10:00:00+00', undefined, [{ dates: 'iso' }]],
  ['2026-01-15 10:00:00', undefined, [{ dates: 'iso', timezone: 'UTC' }]],
  // Other dates of the upload would change.
  ['1/15/2026', { dates: 'dmy' }, []],
  ['2026-02-30', { dates: 'iso' }, []],
  ['15 January', { dates: 'iso' }, []],
  // As days or seconds, these are in 1905 and 1970.
  ['2026', { dates: 'iso' }, []],
  [2026, undefined, []],
  [20_260_115, undefined, []],
  ['1767225600000000000', { dates: 'iso' }, []],
])('%s by %o: %o', (value, reading, cures) => {
  expect(plainestCures(curesOf(value, reading))).toEqual(cures);
});

test('the cures of several dates mend all of them', () => {
  const iso: Reading = { dates: 'iso' };
  const both = curesOf('3/4/2026', iso);
  expect(commonCures(both, curesOf('1/15/2026 9:00', iso))).toEqual([{ dates: 'mdy', timezone: 'UTC' }]);
  expect(commonCures(curesOf('15.01.2026', iso), curesOf('1/15/2026', iso))).toEqual([]);
});

const day = fc.integer({ min: 1, max: 28 });
const month = fc.integer({ min: 1, max: 12 });
const time = fc.constantFrom('', ' 10:00', ' 10:00:00', ' 10:00:00Z');
const date = fc
  .tuple(day, month, fc.constantFrom('.', '/', '-'), time, fc.boolean())
  .map(([d, m, s, t, isDayFirst]) => `${isDayFirst ? d : m}${s}${isDayFirst ? m : d}${s}2026${t}`);
const anything = fc.oneof(date, fc.integer({ min: 0 }), fc.string(), fc.constant('2026-01-15 10:00'));

test('under each cure the date is read, and dates that were read before are the same', () => {
  const reading = fc.constantFrom<Reading>({ dates: 'iso' }, { dates: 'iso', timezone: 'Asia/Tokyo' });
  fc.assert(
    fc.property(anything, anything, reading, (bad, other, before) => {
      for (const cure of curesOf(bad, before)) {
        const after = new DateReader({ ...before, ...cure });
        expect(after.read(bad)).toHaveProperty('date');
        const read = new DateReader(before).read(other);
        if ('date' in read) expect(after.read(other)).toMatchObject({ date: read.date });
      }
    }),
    { numRuns: PROPERTY_RUNS },
  );
});
