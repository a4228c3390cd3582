import { expect, test } from 'vitest';
import {
  sinceFirstUse,
  spanPath,
  usageNumbers,
  VIEWS,
} from '../../../pages/views/settings/plan/usage-numbers.ts';

const day = (n: number, hosted: number | null) => ({
  ...{ day: `2026-01-0${n}`, requests: n, acceptedUrls: 10 * n, receivedBytes: 100 * n },
  ...{ servedRequests: 2 * n, servedBytes: 1000 * n, hostedUrls: hosted, hostedBytes: hosted },
});
const DAYS = [day(1, null), day(2, 50), day(3, 40)];

test('what happened is added up, and of what is hosted the last day counts', () => {
  const shown = Object.values(VIEWS).map(({ bars, lane }) => [
    bars.total(DAYS),
    lane.shown(lane.total(DAYS)),
  ]);
  expect(shown).toEqual([
    [60, '600 bytes'],
    [6, '60'],
    [40, '40 bytes'],
    [12, '6.0 kB'],
  ]);
});

test('the bars and the lane have a value for each day', () => {
  const { days, series, lane } = usageNumbers(DAYS, 'hosted');
  expect(days).toEqual(['2026-01-01', '2026-01-02', '2026-01-03']);
  expect([series.map(({ values }) => values), lane.values]).toEqual([[[0, 50, 40]], [0, 50, 40]]);
});

test('a span ends today in UTC', () => {
  expect(spanPath(7, Date.parse('2026-03-01T23:59:59Z'))).toBe('usage?from=2026-02-23');
});

test('days before the first use are left out, and days without use after it are not', () => {
  const [unused, used] = [day(0, 0), day(2, 50)];
  expect(sinceFirstUse([unused, day(0, null)])).toEqual([]);
  expect(sinceFirstUse([unused, used, unused])).toEqual([used, unused]);
});
