/** Reads NDJSON. Each line is one entry as JSON. */
import { MAX_ELEMENT_DEPTH } from '../../../platform/json/element-scan.ts';
import { faultInObject, isDeeperThan, TEXT_FOLLOWS } from '../../../platform/json/json-syntax.ts';
import { shownValue } from '../../../platform/shown-value.ts';
import type { Batch } from '../fragment.ts';
import type { BatchEntries, RecordFault, RecordNames } from './batch-entries.ts';
import { CONTENT_TYPES } from './form.ts';
import { mapMembers } from './map-members.ts';
import { contentEnd, contentStart, lineNames } from './record-lines.ts';
import { KEEP_LINES } from './refuse-tables.ts';

const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const RECORD_SEPARATOR = 0x1e;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

export function ndjsonEntries(batch: Batch): BatchEntries {
  const { bytes, ends } = batch;
  const names = namesOf(batch);
  // Count in the first batch only. If slashes are escaped, as PHP escapes them, counting costs a fifth of the time of an entry.
  const escapes = batch.firstIndex === 0 ? countDoubled(bytes) : 0;
  if (batch.preamble !== undefined) return { ...mapMembers(batch, names), escapes };
  // The fast path (core/sitemap/entry-transcoder.ts) needs commas between entries, not line breaks.
  for (let i = 0; i < ends.length - 1; i++) bytes[ends[i]!] = COMMA;
  return { json: bytes, ends, names, escapes };
}

const LINE_FEED = 0x0a;
const BACKSLASHES = Buffer.from('\\\\');
/** `n`, `r` and `t`. */
const LETTERS: readonly (number | undefined)[] = [0x6e, 0x72, 0x74];

/** Counts the lines in which a line break or a tab may be written with two backslashes. Call it before the line breaks are overwritten. */
function countDoubled({ buffer, byteOffset, length }: Uint8Array): number {
  const text = Buffer.from(buffer, byteOffset, length);
  let count = 0;
  for (let at = text.indexOf(BACKSLASHES); at >= 0; ) {
    const isDoubled = LETTERS.includes(text[at + 2]);
    if (isDoubled) count++;
    // Go on behind the pair, because a third backslash begins another pair.
    const next = isDoubled ? text.indexOf(LINE_FEED, at) : at + 2;
    at = next < 0 ? next : text.indexOf(BACKSLASHES, next);
  }
  return count;
}

function namesOf(batch: Batch): RecordNames {
  const { bytes, ends } = batch;
  const lineAt = (i: number) => {
    const start = contentStart(bytes, ends, i);
    return Buffer.from(bytes.buffer, bytes.byteOffset + start, contentEnd(bytes, ends, i, start) - start);
  };
  return {
    ...lineNames(batch),
    faultOf(i) {
      const line = lineAt(i);
      if (line[0] === OPEN_ARRAY) return faultIn(line, ARRAY);
      return faultIn(line, `must be one JSON object${faultInLine(line)}`);
    },
    misfitOf(i, value) {
      const message = misfitIn(value);
      return message === undefined ? undefined : faultIn(lineAt(i), message);
    },
  };
}

const DOUBLED =
  'if its backslashes are doubled, as COPY and mariadb -B write them, use psql -Atc, or mariadb -Br';

/** Returns a colon and the reason why a line is not one JSON object. Returns an empty text if the line begins another kind of value. */
export function faultInLine(line: Buffer): string {
  if (line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) {
    return ': it begins with a byte order mark, which nobody sees';
  }
  if (line[0] === RECORD_SEPARATOR)
    return ': it begins with the separator of JSON text sequences (RFC 7464): leave it out';
  if (line[0] !== OPEN_OBJECT) return '';
  if (line.length === 1) return ': it goes on in other lines: write each object in one line, as jq -c does';
  const fault = faultInObject(line)!;
  if (fault === TEXT_FOLLOWS && line.includes('}{')) return `: ${fault}: ${KEEP_LINES}`;
  if (fault === TEXT_FOLLOWS && line.at(-1) === COMMA)
    return `: ${fault}: leave out the comma at the end of each line`;
  return line.includes('\\\\"') ? `: ${fault}; ${DOUBLED}` : `: ${fault}`;
}

function misfitIn(value: unknown): string | undefined {
  if (Array.isArray(value)) return ARRAY;
  if (typeof value === 'object' && value !== null && 'urls' in value && !('loc' in value)) return DOCUMENT;
  return isDeeperThan(value, MAX_ELEMENT_DEPTH)
    ? `must be nested at most ${MAX_ELEMENT_DEPTH} levels deep`
    : undefined;
}

const ARRAY =
  'must be one JSON object, not an array: put each entry on a line of its own, without a comma after it';
const DOCUMENT = `must be an entry, but is a whole document: send it as ${CONTENT_TYPES.json}`;

/** The most bytes of a line that are decoded for a message. `shownValue` shows fewer. */
const SHOWN_BYTES = 2048;

function faultIn(line: Buffer, message: string): RecordFault {
  return { field: 'line', value: shownValue(line.toString('utf8', 0, SHOWN_BYTES)), message };
}
