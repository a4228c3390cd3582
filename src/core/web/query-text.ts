/** Reads query parameters that are one text, and refuses parameters that nobody knows. */
import type { Request } from 'express';
import { invalidField, unknownName } from '../../platform/refusal.ts';
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

/** Throws Refusal VALIDATION_ERROR for a parameter that the endpoint does not know: a typo must not go unnoticed. */
export function requireKnownQuery({ query }: Request, known: readonly string[]): void {
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name)) throw unknownName(name, known, value);
  }
}

/** The longest search text: no URL of a sitemap is longer. */
const MAX_SEARCH_LENGTH = 2048;

/** Parses the `search` parameter of lists. An empty text finds all rows. Throws Refusal VALIDATION_ERROR, also if the text is given twice. */
export function parseSearch(given: unknown): string {
  if (given === undefined) return '';
  const isText = typeof given === 'string' && given.length <= MAX_SEARCH_LENGTH && isStorable(given);
  if (isText) return given.trim();
  throw invalidField('search', given, 'must be one text of at most 2,048 characters, without NUL');
}
