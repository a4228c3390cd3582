/** Plain text: a URL on each line. White space around it does not belong to it. */
import type { Batch } from '../fragment.ts';
import type { BatchEntries } from './batch-entries.ts';
import { LineNames } from './line-names.ts';
import { contentEnd, contentStart } from './record-lines.ts';

const PREFIX = Buffer.from('{"loc":"');
const SUFFIX = Buffer.from('"}');
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A control character becomes six bytes: `\u0000`. */
const MAX_GROWTH = 6;

/** The JSON of the current batch. A thread has one batch at a time. */
let json = Buffer.allocUnsafeSlow(2 * 1024 * 1024);

export function textEntries(batch: Batch): BatchEntries {
  const { bytes, ends } = batch;
  const jsonEnds = new Uint32Array(ends.length);
  let at = 0;
  for (let i = 0; i < ends.length; i++) {
    const start = contentStart(bytes, ends, i);
    const end = contentEnd(bytes, ends, i, start);
    makeRoom(at, PREFIX.length + MAX_GROWTH * (end - start) + SUFFIX.length + 1);
    if (i > 0) json[at++] = COMMA;
    for (let n = 0; n < PREFIX.length; n++) json[at++] = PREFIX[n]!;
    at = writeText(bytes, start, end, at);
    for (let n = 0; n < SUFFIX.length; n++) json[at++] = SUFFIX[n]!;
    jsonEnds[i] = at;
  }
  return { json: json.subarray(0, at), ends: jsonEnds, names: new LineNames(batch) };
}

/** Writes the text as the content of a JSON string. Returns its end. */
function writeText(bytes: Uint8Array, from: number, end: number, to: number): number {
  let at = to;
  for (let i = from; i < end; i++) {
    const byte = bytes[i]!;
    if (byte < 0x20) at += json.write(`\\u00${byte.toString(16).padStart(2, '0')}`, at, 'latin1');
    else {
      if (byte === QUOTE || byte === BACKSLASH) json[at++] = BACKSLASH;
      json[at++] = byte;
    }
  }
  return at;
}

function makeRoom(used: number, bytes: number): void {
  if (used + bytes <= json.length) return;
  const larger = Buffer.allocUnsafeSlow(2 * (used + bytes));
  json.copy(larger, 0, 0, used);
  json = larger;
}
