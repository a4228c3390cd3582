/** Puts numbers, days and periods into words, for messages to people. */

const DAY_MS = 24 * 3_600_000;

export const counted = (count: number) => count.toLocaleString('en-US');

/** Says a time as in “in 6 days”, rounded down to whole days. */
export function inDays(at: Date, now: Date): string {
  const days = Math.floor((at.getTime() - now.getTime()) / DAY_MS);
  if (days < 0) return 'now';
  if (days === 0) return 'within a day';
  return days === 1 ? 'in 1 day' : `in ${days} days`;
}

/** Says a day in UTC as in “20 Nov”, with the year if it is not the current one. */
export function dayOf(at: Date, now: Date): string {
  const isThisYear = at.getUTCFullYear() === now.getUTCFullYear();
  return at.toLocaleDateString('en-GB', {
    ...{ day: 'numeric', month: 'short', timeZone: 'UTC' },
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
}

/** Says a period as in “every day”. */
export function everyHours(hours: number): string {
  if (hours === 1) return 'every hour';
  if (hours % 24 !== 0) return `every ${counted(hours)} hours`;
  return hours === 24 ? 'every day' : `every ${hours / 24} days`;
}

export const timesInARow = (times: number) => `${times === 3 ? 'three' : counted(times)} times`;
