/** Encodes entries as NDJSON. */
import type { Entry } from '../entry.ts';
import { badInput } from '../waypost-error.ts';
import { encodeLines } from './encode-lines.ts';

export function encodeEntries(
  entries: AsyncIterable<Entry> | Iterable<Entry>,
): AsyncGenerator<Uint8Array, void, undefined> {
  return encodeLines(entries, (entry, index) => {
    // JSON writes a promise as {}, and leaves undefined out, and neither fails here without this check.
    if (typeof entry !== 'object' || entry === null) throw badInput(`Entry ${index} is not an object.`);
    return entry;
  });
}
