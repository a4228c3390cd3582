/** Dates of sitemaps for people. */

const day = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** As in 2 Nov 2026, 10:15: with the clock of the file, whose zone is told beside it. A date that is none stays as it is. */
export function sayDate(date: string): string {
  const [, on, at, zone = ''] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::[\d.]+)?(Z|[+-]\d\d:\d\d)?)?$/.exec(date) ?? [];
  if (on === undefined) return date;
  const time = at === undefined ? '' : `, ${at}${zone === 'Z' ? ' UTC' : zone && ` ${zone}`}`;
  return `${day.format(new Date(on))}${time}`;
}
