/** A date of an entry for people: the day, and the time if it has one. */
import { calendarDay, dayAndTime } from '../../parts/format.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A year or a month stays as it is. */
export function lastmodOf(lastmod: string): string {
  // Noon is on this day in most zones.
  if (DAY.test(lastmod)) return calendarDay(`${lastmod}T12:00:00`);
  return /T/.test(lastmod) && !Number.isNaN(Date.parse(lastmod)) ? dayAndTime(lastmod) : lastmod;
}
