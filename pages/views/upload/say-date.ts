/** Says dates of sitemaps for people. */

const day = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/**
 * Says a date as in 2 Nov 2026, 10:15, by the clock of the file. A zone in the text stands behind the time. A text that is no date stays as
 * it is.
 */
export function sayDate(date: string): string {
  const [, on, at, zone = ''] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::[\d.]+)?(Z|[+-]\d\d:\d\d)?)?$/.exec(date) ?? [];
  if (on === undefined) return date;
  const parsed = new Date(on);
  // Some browsers read 31 February as 3 March.
  if (Number.isNaN(parsed.getTime()) || !parsed.toISOString().startsWith(on)) return date;
  const time = at === undefined ? '' : `, ${at}${zone === 'Z' ? ' UTC' : zone && ` ${zone}`}`;
  return `${day.format(parsed)}${time}`;
}
