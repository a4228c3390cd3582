/** Writes a date of an entry for people: the day, and the time if there is one. */
import { calendarDay, dayAndTime } from '../../parts/format.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Returns the text. A year, a month, or a text that is no date stays as it is. */
export function lastmodOf(lastmod: string): string {
  // JavaScript reads a time without a zone as local time, so the day is right in each zone.
  if (DAY.test(lastmod)) return calendarDay(`${lastmod}T12:00:00`);
  return /T/.test(lastmod) && !Number.isNaN(Date.parse(lastmod)) ? dayAndTime(lastmod) : lastmod;
}
