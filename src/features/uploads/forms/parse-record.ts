/** Parses one record of a batch, and names its violations in the terms of its form. */
import type { EntryReader } from '../../../core/sitemap/entry-reader.ts';
import { type ParsedEntry, parseEntry } from '../../../core/sitemap/parse-entry.ts';
import type { Violation } from '../../../core/sitemap/violation.ts';
import { faultInObject, malformed } from '../../../platform/json/json-syntax.ts';
import type { Refusal } from '../../../platform/refusal.ts';
import type { RecordNames } from './batch-entries.ts';

/** The result for a record that damages its whole document. */
export const MALFORMED = Symbol('malformed');

/** Returns the refusal of a document whose element `urls[index]` is no JSON. `fault`: from `faultOfElement`. */
export function malformedElement(index: number, fault: string | undefined): Refusal {
  return malformed(`urls[${index}] is not valid JSON${fault === undefined ? '' : `: ${fault}`}`);
}

/** Says what is wrong in an element that is no JSON. */
export function faultOfElement(json: string): string | undefined {
  return /^\s*\{/.test(json) ? faultInObject(Buffer.from(json)) : undefined;
}

/**
 * `json` is the text of the record, `i` its position in the batch, and `index` its position in the upload. `names` is undefined for the form
 * JSON. `reader` reads spellings that docs/FORMAT.md does not have.
 */
export function parseRecord(
  json: string,
  i: number,
  index: number,
  names: RecordNames | undefined,
  reader?: EntryReader,
): ParsedEntry | typeof MALFORMED {
  const value = parseJson(json);
  if (names === undefined)
    return value === MALFORMED ? MALFORMED : parseEntry(value, index, undefined, reader);
  const fault = value === MALFORMED ? names.faultOf?.(i) : names.misfitOf?.(i, value);
  if (fault === undefined && value === MALFORMED) return MALFORMED;
  const parsed =
    fault === undefined
      ? parseEntry(value, index, (path) => names.fieldName(path, i), reader)
      : { violations: [fault] };
  if ('entry' in parsed) return parsed;
  const line = names.lineOf(i);
  return {
    violations: parsed.violations.map((violation) => ({
      ...{ line, index, ...violation },
      message: violation.message + (names.cureOf?.(violation) || cureOfPath(violation)),
    })),
  };
}

/** Says the cure for a path in place of a URL. A delta takes no `baseUrl`. */
function cureOfPath({ value, message }: Violation): string {
  const isPath = message.startsWith('must be an absolute URL') && /^\/[^/]/.test(String(value));
  return isPath ? ': add the host of its pages, as in baseUrl=https://www.example.com' : '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return MALFORMED;
  }
}
