/** Says the parameters for reading a file in words. */

export const DATES: Readonly<Record<string, string>> = {
  iso: 'Like 2026-11-02',
  dmy: 'Day.month.year',
  mdy: 'Month/day/year',
  excel: 'Excel date numbers',
  'unix-seconds': 'Unix seconds',
  'unix-millis': 'Unix milliseconds',
  'unix-micros': 'Unix microseconds',
};

const MONTHS = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' });
const monthOf = (number: number) => MONTHS.format(Date.UTC(2026, number - 1));

/** Says the two meanings of a date, as in “3/4/2026 is in March or in April.” Empty if the text is no such date, or has one meaning. */
export function sayOrder(date: string): string {
  const [, first, second] = /^(\d\d?)[./-](\d\d?)/.exec(date) ?? [];
  if (first === undefined || Number(first) > 12 || Number(second) > 12) return '';
  return first === second ? '' : `${date} is in ${monthOf(Number(first))} or in ${monthOf(Number(second))}.`;
}

export const CHARSETS: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252',
  'iso-8859-15': 'ISO 8859-15',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
};

/** Says a cure, as in “month/day/year, in the time of Berlin”, or “Windows-1252”. */
export function sayCure({ dates, timezone, charset, columns }: Readonly<Record<string, string>>): string {
  const spelling = dates === undefined ? undefined : (DATES[dates] ?? dates).toLowerCase();
  const zone = timezone && `in the time of ${placeOf(timezone)}`;
  const text = charset && (CHARSETS[charset] ?? charset);
  return [spelling, zone, text, columns && sayColumns(columns)].filter(Boolean).join(', ');
}

const MEMBERS: Readonly<Record<string, string>> = { loc: 'URL', lastmod: 'Last modified' };

/** Says columns, as in `URL: “Address”`. An item in quotes has its quotes doubled, as in CSV. */
function sayColumns(columns: string): string {
  return [...columns.matchAll(/"((?:[^"]|"")*)"|[^,]+/g)]
    .map(([item, quoted]) => (quoted ?? item).replaceAll('""', '"'))
    .map((item) => {
      const [member = '', ...name] = item.split(':');
      return `${MEMBERS[member] ?? member}: “${name.join(':')}”`;
    })
    .join(', ');
}

export const placeOf = (timezone: string) => timezone.replace(/^.*\//, '').replaceAll('_', ' ');
