/** Entries that are JSON values, as a table: a column for each member. */
import { cellText } from './first-entries.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function tableOf(entries: readonly JsonObject[]) {
  const columns = [...new Set(entries.flatMap(Object.keys))];
  return { columns, rows: entries.map((entry) => columns.map((name) => cellText(entry[name]))) };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
