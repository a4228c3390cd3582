/** The numbers of charts. */
import { expect, test } from 'vitest';
import { sayChart } from '../../../pages/parts/chart/say-chart.ts';
import { crawlNumbers, uploadNumbers } from '../../../pages/parts/chart/series.ts';

const kinds = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`kind${i}`, i + 1]));

test('the three largest kinds of crawlers come first, then the others together, and errors have a lane', () => {
  const { days, series, lane } = crawlNumbers([
    { day: '2026-01-14', requests: kinds(8), errors: 3 },
    { day: '2026-01-15', requests: { kind0: 100 }, errors: 0 },
  ]);
  expect(days).toEqual(['2026-01-14', '2026-01-15']);
  expect(series.map(({ name }) => name)).toEqual(['kind0', 'kind7', 'kind6', 'Others']);
  expect(series[0]!.values).toEqual([1, 100]);
  expect(series[3]!.values).toEqual([2 + 3 + 4 + 5 + 6, 0]);
  expect(lane.values).toEqual([3, 0]);
  expect(new Set([...series, lane].map(({ color }) => color)).size).toBe(5);
});

test('a fourth kind has its name, and without small kinds there are no others', () => {
  const names = (n: number) =>
    crawlNumbers([{ day: '2026-01-14', requests: kinds(n), errors: 0 }]).series.map(({ name }) => name);
  expect(names(4)).toEqual(['kind3', 'kind2', 'kind1', 'kind0']);
  expect(names(1)).toEqual(['kind0']);
});

test('uploads are shown by their URLs, and refused ones by their number', () => {
  const day = { published: 2, unchanged: 0, refused: 1, publishedUrls: 2000, refusedUrls: 7 };
  const { series, lane } = uploadNumbers([{ day: '2026-01-15', ...day }]);
  expect(series.map(({ values }) => values)).toEqual([[2000]]);
  expect(lane.values).toEqual([1]);
});

test('a chart is said in words, with its sums and its highest days', () => {
  const series = [{ name: 'Published', color: 1, values: [5, 1200] }];
  const lane = { name: 'Refused', color: 2, values: [0, 0] };
  expect(sayChart({ days: ['2026-01-14', '2026-01-15'], series, lane }, 'URLs')).toBe(
    'URLs in the last 2 days. Published: 1,205, most on 15 Jan (1,200). Refused: none.',
  );
});
