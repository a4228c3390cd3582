/** The numbers of charts. */
import { expect, test } from 'vitest';
import { sayChart } from '../../../pages/parts/chart/say-chart.ts';
import { crawlNumbers, stacked, uploadNumbers } from '../../../pages/parts/chart/series.ts';

const kinds = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`kind${i}`, i + 1]));

test('the six largest kinds of crawlers come first, then the others together, then the errors', () => {
  const { days, series } = crawlNumbers([
    { day: '2026-01-14', requests: kinds(8), errors: 3 },
    { day: '2026-01-15', requests: { kind0: 100 }, errors: 0 },
  ]);
  expect(days).toEqual(['2026-01-14', '2026-01-15']);
  expect(series.map(({ name }) => name)).toEqual([
    ...['kind0', 'kind7', 'kind6', 'kind5', 'kind4', 'kind3'],
    ...['Others', 'Errors'],
  ]);
  expect(series[0]!.values).toEqual([1, 100]);
  expect(series[6]!.values).toEqual([2 + 3, 0]);
  expect(series[7]!.values).toEqual([3, 0]);
  expect(new Set(series.map(({ color }) => color)).size).toBe(8);
});

test('without small kinds there are no others', () => {
  const { series } = crawlNumbers([{ day: '2026-01-14', requests: { Googlebot: 2 }, errors: 0 }]);
  expect(series.map(({ name }) => name)).toEqual(['Googlebot', 'Errors']);
});

test('each bar of a stack stands on those before it, and a line stands on nothing', () => {
  const bar = (...values: number[]) => ({ name: '', color: 1, values });
  expect(stacked([bar(1, 2), bar(10, 0), { ...bar(5, 5), isLine: true }])).toEqual([
    [1, 2],
    [11, 2],
    [5, 5],
  ]);
});

test('uploads are counted by themselves or by their URLs', () => {
  const day = {
    day: '2026-01-15',
    published: 2,
    unchanged: 0,
    refused: 1,
    publishedUrls: 2000,
    refusedUrls: 7,
  };
  const values = (measure: 'URLs' | 'uploads') =>
    uploadNumbers([day], measure).series.map((one) => one.values);
  expect(values('URLs')).toEqual([[2000], [7]]);
  expect(values('uploads')).toEqual([[2], [1]]);
  const later = uploadNumbers([day, { ...day, unchanged: 3 }], 'uploads').series;
  expect(later.find(({ name }) => name === 'Unchanged')?.values).toEqual([0, 3]);
});

test('a chart is said in words, with its sums and its highest days', () => {
  const series = [
    { name: 'Published', color: 1, values: [5, 1200] },
    { name: 'Refused', color: 2, values: [0, 0] },
  ];
  expect(sayChart({ days: ['2026-01-14', '2026-01-15'], series }, 'URLs')).toBe(
    'URLs in the last 2 days. Published: 1,205, most on 15 Jan (1,200). Refused: none.',
  );
});
