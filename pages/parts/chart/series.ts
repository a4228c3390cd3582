/** The numbers of a chart by day, and the series that they belong to. */
import type { CrawlDay, UploadDay } from '../../../src/edges/dashboard/wire.ts';

export interface Series {
  readonly name: string;
  /** The number of the CSS variable, as in `--series-1`. */
  readonly color: number;
  /** The values in the order of the days. */
  readonly values: readonly number[];
}

export interface Numbers {
  readonly days: readonly string[];
  /** Bars on top of each other, the lowest first. */
  readonly series: readonly Series[];
  /** The failures, or another series. The lane has a scale of its own, because small numbers cannot be seen beside large ones. */
  readonly lane: Series;
}

const GOOD = 1;
const BAD = 2;
const OTHERS = 6;
/** The colours of kinds, the largest kind first. The colours of failures and of other kinds are not among them. */
const KIND_COLORS = [1, 3, 4];

export function uploadNumbers(days: readonly UploadDay[]): Numbers {
  return {
    days: days.map(({ day }) => day),
    series: [
      {
        name: 'URLs published a day',
        color: GOOD,
        values: days.map(({ publishedUrls }) => publishedUrls),
      },
    ],
    lane: { name: 'Refused uploads a day', color: BAD, values: days.map(({ refused }) => refused) },
  };
}

/**
 * Returns a series for each of the largest kinds of crawlers, the largest first, and one for the others together. The lane has the errors
 * of all kinds.
 */
export function crawlNumbers(days: readonly CrawlDay[]): Numbers {
  const sums = new Map<string, number>();
  for (const { requests } of days) {
    for (const [kind, n] of Object.entries(requests)) sums.set(kind, (sums.get(kind) ?? 0) + n);
  }
  const kinds = [...sums].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([kind]) => kind);
  // If one kind is left over, it has its own name and not the word "others".
  const isFew = kinds.length <= KIND_COLORS.length + 1;
  const large = isFew ? kinds : kinds.slice(0, KIND_COLORS.length);
  const small = kinds.slice(large.length);
  const ofKind = (kind: string) => days.map(({ requests }) => requests[kind] ?? 0);
  return {
    days: days.map(({ day }) => day),
    series: [
      ...large.map((kind, i) => ({ name: kind, color: KIND_COLORS[i] ?? OTHERS, values: ofKind(kind) })),
      ...(small.length > 0
        ? [
            {
              name: 'Others',
              color: OTHERS,
              values: days.map((day) => sum(small.map((kind) => day.requests[kind] ?? 0))),
            },
          ]
        : []),
    ],
    lane: { name: 'Errors', color: BAD, values: days.map(({ errors }) => errors) },
  };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
