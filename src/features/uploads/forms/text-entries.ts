/** Reads plain text. Each line is one URL. White space around a URL does not belong to it. */
import type { Batch } from '../fragment.ts';
import type { BatchEntries } from './batch-entries.ts';
import { JsonBytes, MAX_ESCAPE_BYTES } from './json-bytes.ts';
import { contentEnd, contentStart, lineNames } from './record-lines.ts';

const OPEN = Buffer.from('{"loc":');
const CLOSE = Buffer.from('}');
/** The bytes of an entry beside its URL, including two quotes and the comma before the entry. */
const FRAME_BYTES = OPEN.length + 2 + CLOSE.length + 1;

/** A thread reads one batch at a time, so it can share this buffer. */
const json = new JsonBytes();

export function textEntries(batch: Batch): BatchEntries {
  const { bytes, ends } = batch;
  const jsonEnds = new Uint32Array(ends.length);
  json.clear();
  for (let i = 0; i < ends.length; i++) {
    const start = contentStart(bytes, ends, i);
    const end = contentEnd(bytes, ends, i, start);
    json.makeRoom(FRAME_BYTES + MAX_ESCAPE_BYTES * (end - start));
    if (i > 0) json.comma();
    json.put(OPEN);
    json.string(bytes, start, end);
    json.put(CLOSE);
    jsonEnds[i] = json.at;
  }
  return { json: json.written, ends: jsonEnds, names: lineNames(batch) };
}
