/** A chart in words, for people who do not see it. */
import { count, counted, shortDay } from '../format.ts';
import { type Numbers, sum } from './series.ts';

/** Returns the words, as in `URLs in the last 30 days. Published: 300, most on 23 Oct (200). Refused: none.` */
export function sayChart({ days, series, lane }: Numbers, what: string): string {
  const parts = [...series, lane].map(({ name, values }) => {
    const total = sum(values);
    if (total === 0) return `${name}: none.`;
    const most = Math.max(...values);
    return `${name}: ${count(total)}, most on ${shortDay(days[values.indexOf(most)]!)} (${count(most)}).`;
  });
  return [`${what} in the last ${counted(days.length, 'day')}.`, ...parts].join(' ');
}
