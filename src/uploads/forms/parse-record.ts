/** Judges one record of a batch, and names its violations as its form does. */
import type { Entry } from '../../sitemap/entry.ts';
import { parseEntry } from '../../sitemap/parse-entry.ts';
import type { Violation } from '../../sitemap/violation.ts';
import type { RecordNames } from './batch-entries.ts';

/** A record that damages its whole document. */
export const MALFORMED = Symbol('malformed');

/**
 * @param json of the record
 * @param i the position of the record in its batch
 * @param index its position in the upload
 * @param names absent for JSON
 */
export function parseRecord(
  json: string,
  i: number,
  index: number,
  names: RecordNames | undefined,
): { entry: Entry } | { violations: Violation[] } | typeof MALFORMED {
  const value = parseJson(json);
  if (names === undefined) return value === MALFORMED ? MALFORMED : parseEntry(value, index);
  const fault = value === MALFORMED ? names.faultOf?.(i) : names.misfitOf?.(i, value);
  if (fault === undefined && value === MALFORMED) return MALFORMED;
  const parsed =
    fault === undefined
      ? parseEntry(value, index, (path) => names.fieldName(path, i))
      : { violations: [fault] };
  if ('entry' in parsed) return parsed;
  const line = names.lineOf(i);
  return { violations: parsed.violations.map((violation) => ({ line, index, ...violation })) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return MALFORMED;
  }
}
