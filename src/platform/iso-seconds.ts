/** ISO 8601 in UTC and whole seconds, as in 2026-01-15T10:00:00Z. */
export function isoSeconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}
