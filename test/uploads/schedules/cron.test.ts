/** The times of schedules, against a simulation of the clock on the wall, minute by minute. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { leastGap, nextTime, nextTimes, parseTimes } from '../../../src/features/uploads/schedules/cron.ts';
import { sayTimes } from '../../../src/features/uploads/schedules/say-cron.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The changes of clocks in 2026 by `Intl`. */
const CHANGES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Pacific/Chatham',
  'Africa/Casablanca',
].flatMap(changesOf);

interface Change {
  readonly timezone: string;
  readonly at: number;
  /** The time by which the wall clock is ahead of UTC before the change, in ms. */
  readonly before: number;
  readonly after: number;
}

function wallOffset(timezone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...({ timeZone: timezone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' } as const),
    ...({ hour: 'numeric', minute: 'numeric' } as const),
  });
  return (at) => {
    const parts = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    );
    return Date.UTC(parts.year!, parts.month! - 1, parts.day, parts.hour, parts.minute) - at;
  };
}

function changesOf(timezone: string): Change[] {
  const offset = wallOffset(timezone);
  const found: Change[] = [];
  for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += HOUR_MS / 2) {
    const [before, after] = [offset(at - HOUR_MS / 2), offset(at)];
    if (before !== after) found.push({ timezone, at, before, after });
  }
  return found;
}

interface Field {
  readonly text: string;
  readonly values: readonly number[];
}

/** Of few values, because each is looked for. */
const field = (most: number): fc.Arbitrary<Field> => {
  const value = fc.integer({ min: 0, max: most });
  const all = Array.from({ length: most + 1 }, (_, i) => i);
  const leastStep = Math.ceil(most / 12);
  return fc.oneof(
    value.map((one) => ({ text: String(one), values: [one] })),
    fc.uniqueArray(value, { minLength: 2, maxLength: 4 }).map((values) => ({ text: values.join(), values })),
    fc.integer({ min: leastStep, max: 20 }).map((step) => ({
      text: step === 1 ? '*' : `*/${step}`,
      values: all.filter((one) => one % step === 0),
    })),
    fc.tuple(value, fc.integer({ min: 0, max: 5 })).map(([from, more]) => {
      const to = Math.min(most, from + more);
      return { text: `${from}-${to}`, values: all.filter((one) => one >= from && one <= to) };
    }),
  );
};

const cronAround = fc.record({
  minute: field(59),
  // Clocks change at night.
  hour: fc.oneof(
    field(23),
    fc.integer({ min: 0, max: 3 }).map((one) => ({ text: String(one), values: [one] })),
    fc.constant({ text: '*', values: Array.from({ length: 24 }, (_, i) => i) }),
  ),
  change: fc.constantFrom(...CHANGES),
});

test('around each change of the clock, each time runs once and none is left out', () => {
  fc.assert(
    fc.property(cronAround, ({ minute, hour, change }) => {
      const { timezone, at: changed, before, after } = change;
      const isShown = (wall: number) => {
        const date = new Date(wall);
        return minute.values.includes(date.getUTCMinutes()) && hour.values.includes(date.getUTCHours());
      };
      const isEveryHour = hour.text.startsWith('*');
      const [from, to] = [changed - 3 * HOUR_MS, changed + 3 * HOUR_MS];
      const wanted: number[] = [];
      for (let at = from + MINUTE_MS; at <= to; at += MINUTE_MS) {
        const wall = at + (at < changed ? before : after);
        const isSecond = at >= changed && wall < changed + before;
        let runs = isShown(wall) && (isEveryHour || !isSecond);
        if (!isEveryHour && at === changed) {
          for (let gap = changed + before; gap < changed + after; gap += MINUTE_MS) runs ||= isShown(gap);
        }
        if (runs) wanted.push(at);
      }
      const times = { cron: `${minute.text} ${hour.text} * * *`, timezone };
      const found: number[] = [];
      for (let at = nextTime(times, from)!; at <= to; at = nextTime(times, at)!) found.push(at);
      expect(found).toEqual(wanted);
    }),
  );
});

test('wherever in a year one begins to look, the next time is the same', () => {
  const year = { min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) };
  const crons = ['30 2 * * *', '0 6 * * 1-5', '0 */6 * * *', '15 1,2,3 * * *', '0 0 29 2 *', '5 4 31 * *'];
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'];
  const looks = fc.integer(year);
  fc.assert(
    fc.property(fc.constantFrom(...crons), fc.constantFrom(...zones), looks, (cron, timezone, at) => {
      const times = { cron, timezone };
      const next = nextTime(times, at)!;
      expect(next).toBeGreaterThan(at);
      expect(nextTime(times, next - 1)).toBe(next);
      expect(nextTime(times, at + Math.floor((next - at) / 2))).toBe(next);
    }),
  );
});

const iso = (times: readonly number[]) => times.map((at) => new Date(at).toISOString().slice(0, 16));

test.for([
  [
    'half past two, which the clock skips',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-28',
    ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30'],
  ],
  [
    'half past two, which the clock shows twice',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-10-24',
    ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30'],
  ],
  [
    'two of a night',
    '30 1,3 * * *',
    'America/New_York',
    '2026-11-01',
    ['2026-11-01T05:30', '2026-11-01T08:30', '2026-11-02T06:30'],
  ],
  [
    'a clock that changes by half an hour',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-03',
    ['2026-10-03T15:30', '2026-10-04T15:15', '2026-10-05T15:15'],
  ],
  [
    'each hour',
    '0 * * * *',
    'Europe/Berlin',
    '2026-10-24T23:30',
    ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00'],
  ],
] as const)('%s', ([, cron, timezone, after, wanted]) => {
  expect(
    iso(nextTimes(parseTimes(cron, timezone), Date.parse(`${after}${after.includes('T') ? 'Z' : ''}`), 3)),
  ).toEqual(wanted);
});

test('a simulated year of a schedule has each day once', () => {
  for (const timezone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']) {
    const times = nextTimes({ cron: '30 2 * * *', timezone }, Date.UTC(2026, 0, 1, 20), 365);
    const days = times.map((at) => new Date(at + wallOffset(timezone)(at)).toISOString().slice(0, 10));
    expect(new Set(days).size).toBe(365);
    expect(times.at(-1)! - times[0]!).toBe(364 * 24 * HOUR_MS);
  }
});

describe('what is no time', () => {
  test.for([
    '@daily',
    '* * * * * *',
    '* * * *',
    '',
    '60 * * * *',
    '0 24 * * *',
    '0 0 L * *',
    '0 0 1W * *',
    '? * * * *',
    '0 0 * * 5#2',
    '5/10 * * * *',
    '0 0 31 2 *',
    '-1 * * * *',
    '0 0 1 1 * 2027',
    '*/0 * * * *',
    'a b c d e',
    '0 0 32 * *',
    '0 6 * * mon-',
  ])('%s', (cron) => {
    expect(() => parseTimes(cron, 'UTC')).toThrow(/^cron: /);
  });
  test.for(['Mars/Olympus', '+02:00', '', 'Europe', '../etc/passwd'])('in the zone %s', (timezone) => {
    expect(() => parseTimes('0 6 * * *', timezone)).toThrow(/^timezone: /);
  });
});

test.for<[string, number]>([
  ['* * * * *', 1],
  ['*/7 * * * *', 4],
  ['*/15 * * * *', 15],
  ['0,45 * * * *', 15],
  ['0,45 6 * * *', 45],
  ['0 * * * *', 60],
  ['0 */6 * * *', 360],
  ['0 23,1 * * *', 120],
  ['30 6 * * 1', 1440],
])('%s has at least %i minutes between two times', ([cron, minutes]) => {
  expect(leastGap({ cron }, 0)).toBe(minutes);
  expect(leastGap({ cron }, minutes)).toBe(minutes);
  expect(leastGap({ cron }, 1440)).toBeLessThanOrEqual(1440);
});

test.for([
  ['0 6 * * *', 'Every day at 06:00 Europe/Berlin'],
  ['5 6,18 * * *', 'Every day at 06:05 and 18:05 Europe/Berlin'],
  ['0 6 * * 1-5', 'From Monday to Friday at 06:00 Europe/Berlin'],
  ['0 6 * * mon', 'Every Monday at 06:00 Europe/Berlin'],
  ['0 6 * * 1,4,7', 'Every Monday, Thursday and Sunday at 06:00 Europe/Berlin'],
  ['7 * * * *', 'Every hour at :07'],
  ['*/15 * * * *', 'Every 15 minutes'],
  ['0 6 1 * *', 'On day 1 of each month at 06:00 Europe/Berlin'],
  ['*/7 1 * 2 *', 'At */7 1 * 2 *, Europe/Berlin'],
] as const)('%s is “%s”', ([cron, words]) => {
  expect(sayTimes(parseTimes(cron, 'Europe/Berlin'))).toBe(words);
});
