/** ISO 8601 in UTC and whole seconds, as in 2026-01-15T10:00:00Z. */
export function isoSeconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}

type TimeShown<T> = T extends Date ? string : T;

/** Returns the row with its times as answers show them. */
export function withShownTimes<Row extends object>(
  row: Row,
): { readonly [Name in keyof Row]: TimeShown<Row[Name]> };
export function withShownTimes(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? isoSeconds(value) : value]),
  );
}
