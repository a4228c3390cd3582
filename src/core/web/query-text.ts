/** Reads a query parameter that is one text. */
import { invalidField } from '../../platform/refusal.ts';
import { isStorable } from '../../platform/storable-text.ts';

/** Returns the text; undefined if the parameter is absent. Throws Refusal VALIDATION_ERROR, also for a text that Postgres cannot store. */
export function queryText(query: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const given = query[name];
  if (given === undefined) return undefined;
  if (typeof given !== 'string') throw invalidField(name, given, 'must be given once');
  if (!isStorable(given)) throw invalidField(name, given, 'must be text without U+0000');
  return given;
}

/** Reads a parameter as `queryText` does. Throws also if the parameter is absent. */
export function requiredQueryText(query: Readonly<Record<string, unknown>>, name: string): string {
  const given = queryText(query, name);
  if (given === undefined) throw invalidField(name, undefined, 'is required');
  return given;
}
