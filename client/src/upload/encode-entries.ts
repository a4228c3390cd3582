/** Encodes entries as NDJSON, in chunks of some 64 KiB: small enough for a cache, large enough to cost few writes. */
import type { Entry } from '../entry.ts';
import { badInput } from '../waypost-error.ts';

const CHUNK_LENGTH = 64 * 1024;

export async function* encodeEntries(
  entries: AsyncIterable<Entry> | Iterable<Entry>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let lines = '';
  let index = 0;
  for await (const entry of entries) {
    // JSON writes a promise as {} and undefined as no text at all, so neither would fail here.
    if (typeof entry !== 'object' || entry === null) throw badInput(`Entry ${index} is not an object.`);
    lines += `${JSON.stringify(entry)}\n`;
    index++;
    if (lines.length < CHUNK_LENGTH) continue;
    yield Buffer.from(lines);
    lines = '';
  }
  if (lines !== '') yield Buffer.from(lines);
}
