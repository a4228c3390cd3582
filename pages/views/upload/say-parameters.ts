/** Parameters of a dialect, as people call them. */

export const DATES: Readonly<Record<string, string>> = {
  iso: 'Like 2026-11-02',
  dmy: 'Day.month.year',
  mdy: 'Month/day/year',
  excel: 'Numbers of Excel',
  'unix-seconds': 'Unix seconds',
  'unix-millis': 'Unix milliseconds',
  'unix-micros': 'Unix microseconds',
};

const MONTHS = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' });
const monthOf = (number: number) => MONTHS.format(Date.UTC(2026, number - 1));

/** As in “3/4/2026 is in March or in April.” */
export function sayOrder(date: string): string {
  const [, first, second] = /^(\d\d?)[./-](\d\d?)/.exec(date) ?? [];
  if (first === undefined || Number(first) > 12 || Number(second) > 12) return '';
  return first === second ? '' : `${date} is in ${monthOf(Number(first))} or in ${monthOf(Number(second))}.`;
}

/** As in “month/day/year, in the time of Berlin”. */
export function sayCure({
  dates,
  timezone,
}: {
  readonly dates?: string;
  readonly timezone?: string;
}): string {
  const spelling = dates === undefined ? undefined : (DATES[dates] ?? dates).toLowerCase();
  const zone = timezone && `in the time of ${placeOf(timezone)}`;
  return [spelling, zone].filter(Boolean).join(', ');
}

export const placeOf = (timezone: string) => timezone.replace(/^.*\//, '').replaceAll('_', ' ');
