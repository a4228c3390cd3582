/** Encodes entries as NDJSON. */
import type { Entry } from '../entry.ts';
import { badInput } from '../waypost-error.ts';
import { encodeLines } from './encode-lines.ts';

export function encodeEntries(
  entries: AsyncIterable<Entry> | Iterable<Entry>,
): AsyncGenerator<Uint8Array, void, undefined> {
  return encodeLines(entries, (entry, index) => {
    // JSON has no undefined and no functions. Fail here: the service would name a line, and the caller has no lines.
    if (typeof entry !== 'object' || entry === null) throw badInput(`Entry ${index} is not an object.`);
    return entry;
  });
}
