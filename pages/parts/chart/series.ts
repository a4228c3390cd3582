/** What a chart shows: numbers by day, and who they belong to. */
import type { CrawlDay, UploadDay } from '../../../src/edges/dashboard/wire.ts';

export interface Series {
  readonly name: string;
  /** Of the CSS variable, as in `--series-1`. */
  readonly color: number;
  /** One for each day, in the order of the days. */
  readonly values: readonly number[];
  /** A line over the bars, for a part of what they show. */
  readonly isLine?: boolean;
}

export interface Numbers {
  readonly days: readonly string[];
  readonly series: readonly Series[];
}

const GOOD = 1;
const BAD = 2;
const OTHERS = 6;
/** The largest kind gets the first. The colour of errors and that of others are not among them. */
const KIND_COLORS = [1, 3, 4, 5, 7, 8];

export type UploadMeasure = 'URLs' | 'uploads';

export function uploadNumbers(days: readonly UploadDay[], measure: UploadMeasure): Numbers {
  const isUrls = measure === 'URLs';
  return {
    days: days.map(({ day }) => day),
    series: [
      {
        name: 'Published',
        color: GOOD,
        values: days.map(({ published, publishedUrls }) => (isUrls ? publishedUrls : published)),
      },
      // Unchanged uploads publish no URLs, so they are a series of uploads only, and only if there are any.
      ...(!isUrls && days.some(({ unchanged }) => unchanged > 0)
        ? [{ name: 'Unchanged', color: OTHERS, values: days.map(({ unchanged }) => unchanged) }]
        : []),
      {
        name: 'Refused',
        color: BAD,
        values: days.map(({ refused, refusedUrls }) => (isUrls ? refusedUrls : refused)),
      },
    ],
  };
}

/** The largest kinds of crawlers, the largest first, then the others together, then the errors of all. */
export function crawlNumbers(days: readonly CrawlDay[]): Numbers {
  const sums = new Map<string, number>();
  for (const { requests } of days) {
    for (const [kind, n] of Object.entries(requests)) sums.set(kind, (sums.get(kind) ?? 0) + n);
  }
  const kinds = [...sums].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([kind]) => kind);
  const large = kinds.slice(0, KIND_COLORS.length);
  const small = kinds.slice(KIND_COLORS.length);
  const ofKind = (kind: string) => days.map(({ requests }) => requests[kind] ?? 0);
  return {
    days: days.map(({ day }) => day),
    series: [
      ...large.map((kind, i) => ({ name: kind, color: KIND_COLORS[i]!, values: ofKind(kind) })),
      ...(small.length > 0
        ? [
            {
              name: 'Others',
              color: OTHERS,
              values: days.map((day) => sum(small.map((kind) => day.requests[kind] ?? 0))),
            },
          ]
        : []),
      { name: 'Errors', color: BAD, values: days.map(({ errors }) => errors), isLine: true },
    ],
  };
}

/** Each series becomes the sum of itself and all that stand below it. Lines stay as they are. */
export function stacked(series: readonly Series[]): readonly (readonly number[])[] {
  let below: readonly number[] | undefined;
  return series.map(({ values, isLine }) => {
    if (isLine) return values;
    const top = values.map((value, day) => value + (below?.[day] ?? 0));
    below = top;
    return top;
  });
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
