/** The dialect of an upload's body, and the query parameters for it. */

/** The spellings of dates. */
export const DATE_SPELLINGS = [
  'iso',
  'dmy',
  'mdy',
  'excel',
  'unix-seconds',
  'unix-millis',
  'unix-micros',
] as const;

export interface DialectOptions {
  /**
   * The columns that are read, as in `loc:Address,lastmod:Last Modified`, or an object of members and names. All other columns are ignored.
   */
  readonly columns?: string | Readonly<Record<string, string>> | undefined;
  /** Conditions that entries must meet, as in `Status Code:200`. Other entries are left out. */
  readonly where?: string | readonly string[] | undefined;
  readonly delimiter?: 'comma' | 'semicolon' | 'tab' | 'pipe' | 'ctrl-a' | undefined;
  /** False if the first record is an entry. Then `columns` has the members in the order of the cells, and `-` for a cell to ignore. */
  readonly header?: boolean | undefined;
  /** The number of lines before the header. */
  readonly skipLines?: number | undefined;
  readonly escape?: 'backslash' | undefined;
  /** `none` if quotes protect nothing, and are characters like any other. */
  readonly quote?: 'none' | undefined;
  readonly charset?: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | undefined;
  readonly decimal?: 'point' | 'comma' | undefined;
  /** Texts that mean that a value is absent. */
  readonly null?: string | readonly string[] | undefined;
  /** The beginning for URLs that are only paths. */
  readonly baseUrl?: string | undefined;
  /** The zone of times that name none. */
  readonly timezone?: string | undefined;
  readonly dates?: (typeof DATE_SPELLINGS)[number] | undefined;
}

export function dialectQuery(options: DialectOptions) {
  const { where, delimiter, header, skipLines, escape: escapes, quote, charset, decimal } = options;
  const { columns, baseUrl, timezone, dates } = options;
  return {
    columns: typeof columns === 'object' ? columnsText(columns) : columns,
    where,
    delimiter,
    header,
    skipLines,
    escape: escapes,
    quote,
    charset,
    decimal,
    null: options.null,
    baseUrl,
    timezone,
    dates,
  };
}

/** The names may have commas, so an item may need quotes. */
function columnsText(columns: Readonly<Record<string, string>>): string {
  const items = Object.entries(columns).map(([member, name]) => `${member}:${name}`);
  return items.map((item) => (/[",\n]/.test(item) ? `"${item.replaceAll('"', '""')}"` : item)).join(',');
}
