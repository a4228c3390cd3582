/** The numbers of usage that a chart shows. */
import type { UsageDay } from '../../../../client/src/answers.ts';
import { type Numbers, sum } from '../../../parts/chart/series.ts';
import { bytes, count } from '../../../parts/format.ts';

interface Measure {
  readonly name: string;
  readonly of: string;
  readonly total: (days: readonly UsageDay[]) => number;
  readonly shown: (total: number) => string;
  readonly values: (days: readonly UsageDay[]) => readonly number[];
}

/** Returns a measure. Its total is the sum of the days. The total of a level, such as the hosted URLs, is the value of the last day. */
function measure(
  name: string,
  of: string,
  member: Exclude<keyof UsageDay, 'day'>,
  shown: Measure['shown'],
): Measure {
  const values: Measure['values'] = (days) => days.map((day) => day[member] ?? 0);
  const isLevel = member === 'hostedUrls' || member === 'hostedBytes';
  return {
    ...{ name, of, shown, values },
    total: (days) => (isLevel ? (values(days).at(-1) ?? 0) : sum(values(days))),
  };
}

/** The bars of each view, and the lane below them. */
export const VIEWS = {
  uploads: {
    title: 'Uploads',
    what: 'URLs',
    bars: measure('URLs accepted a day', 'URLs accepted', 'acceptedUrls', count),
    lane: measure('Bytes received a day', '', 'receivedBytes', bytes),
  },
  requests: {
    title: 'Requests',
    what: 'Requests of your programs',
    bars: measure('Requests of your programs a day', 'requests', 'requests', count),
    lane: measure('URLs accepted a day', '', 'acceptedUrls', count),
  },
  hosted: {
    title: 'Hosted',
    what: 'URLs',
    bars: measure('URLs hosted at the end of the day', 'URLs now', 'hostedUrls', count),
    lane: measure('Stored bytes', '', 'hostedBytes', bytes),
  },
  served: {
    title: 'Served',
    what: 'Fetches of your sitemaps',
    bars: measure('Fetches a day', 'fetches', 'servedRequests', count),
    lane: measure('Bytes served a day', '', 'servedBytes', bytes),
  },
} as const;

export type ViewName = keyof typeof VIEWS;

const BARS = 1;
const LANE = 3;

export function usageNumbers(days: readonly UsageDay[], view: ViewName): Numbers {
  const { bars, lane } = VIEWS[view];
  return {
    days: days.map(({ day }) => day),
    series: [{ name: bars.name, color: BARS, values: bars.values(days) }],
    lane: { name: lane.name, color: LANE, values: lane.values(days) },
  };
}

/** Returns the days from the first one with a number on. Before that day, the account did not exist or did nothing. */
export function sinceFirstUse(days: readonly UsageDay[]): readonly UsageDay[] {
  const isUsed = ({ day: _, ...numbers }: UsageDay) =>
    Object.values(numbers).some((number) => Boolean(number));
  const first = days.findIndex(isUsed);
  return first < 0 ? [] : days.slice(first);
}

const DAY_MS = 86_400_000;

/** Returns the path of the usage of the last `days` days in UTC, today included. */
export function spanPath(days: number, now: number): string {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return `usage?from=${day(now - (days - 1) * DAY_MS)}`;
}
