/**
 * Turns records of CSV into the JSON of entries. It is AssemblyScript, compiled to
 * forms-kernel.wasm by `npm run build:kernels`. It refuses no record: one that it cannot read is left to the host,
 * ../csv-entries.ts. Both share memory:
 *
 * ```
 * columns   COLUMN_BYTES for each: kind, length of the JSON before the value, that JSON
 * records   the batch, then BLOCK bytes of 0
 * ends      u32 for each record: its end in the batch
 * jsonEnds  u32 for each record: its end in the JSON
 * json      the output, with a comma behind each record
 * ```
 */
import {
  COLUMN_BYTES,
  COLUMN_OPEN,
  HAS_ESCAPES,
  HAS_STRAY_QUOTES,
  IGNORED,
  NUMBER,
} from '../../src/features/uploads/forms/kernel-layout.ts';
import {
  BACKSLASH,
  CARRIAGE_RETURN,
  CLOSE_OBJECT,
  COMMA,
  NINE,
  OPEN_OBJECT,
  POINT,
  QUOTE,
  SPACE,
  ZERO,
} from '../ascii.ts';
import { copy } from '../vectors.ts';
import { beginStops, delimiter, nextStop, setDelimiter } from './cell-stops.ts';

/** The host may use the memory from this address on. */
export const heap: i32 = <i32>__heap_base;

const LEFT: i32 = -1;

/** The address of the next byte of JSON. */
export let jsonAt: i32 = 0;

/** The value of the last cell that was read. */
let valueStart: i32 = 0;
let valueEnd: i32 = 0;

let hasEscapes: bool = false;
let refusesStrayQuotes: bool = true;

/** Says how the cells of all later records are written. `flags` are those of kernel-layout.ts. */
export function setCells(byte: i32, flags: i32): void {
  setDelimiter(<u8>byte);
  hasEscapes = (flags & HAS_ESCAPES) !== 0;
  refusesStrayQuotes = (flags & HAS_STRAY_QUOTES) !== 0;
}

/** Reads records from `first` on. Returns the index of the first record that is left to the host, or `count`. */
export function readRecords(
  columns: i32,
  columnCount: i32,
  records: i32,
  ends: i32,
  jsonEnds: i32,
  first: i32,
  count: i32,
  json: i32,
): i32 {
  if (first === count) return count;
  let start = first === 0 ? records : records + load<i32>(ends + (first - 1) * 4) + 1;
  const endOfColumns = columns + columnCount * COLUMN_BYTES;
  beginStops(start);
  for (let i = first; i < count; i++) {
    const recordEnd = records + load<i32>(ends + i * 4);
    const end = readRecord(columns, endOfColumns, start, recordEnd, jsonAt);
    if (end === LEFT) return i;
    store<i32>(jsonEnds + i * 4, end - json);
    store<u8>(end, COMMA);
    jsonAt = end + 1;
    start = recordEnd + 1;
  }
  return count;
}

/** Reads one record, whose stops are the next ones. Returns the end of its JSON, or LEFT. */
function readRecord(columns: i32, endOfColumns: i32, start: i32, end: i32, json: i32): i32 {
  const separator = delimiter;
  let at = start;
  let to = json;
  let stop = start;
  store<u8>(to++, OPEN_OBJECT);
  // The host reads records after blank lines.
  if (load<u8>(at) <= SPACE && load<u8>(at) !== separator) return LEFT;
  for (let column = columns; ; ) {
    const kind = load<i32>(column);
    if (load<u8>(at) === QUOTE) stop = readQuoted(kind, end);
    else if (kind === IGNORED) stop = skipUnquoted(at, end);
    else stop = readUnquoted(at);
    if (stop === LEFT) return LEFT;
    if (kind !== IGNORED) {
      to = writeValue(column, kind, to);
      if (to === LEFT) return LEFT;
    }
    column += COLUMN_BYTES;
    if (column === endOfColumns) break;
    if (stop === end || load<u8>(stop) !== separator) return LEFT;
    at = stop + 1;
  }
  if (isFinalReturn(stop, end)) stop = nextStop();
  if (stop !== end || to === json + 1) return LEFT;
  // The bracket replaces the last comma.
  store<u8>(to - 1, CLOSE_OBJECT);
  return to;
}

/** Whether the carriage return belongs to the line break. */
function isFinalReturn(at: i32, end: i32): bool {
  return at + 1 === end && load<u8>(at) === CARRIAGE_RETURN;
}

/** `\N` */
const MISSING: u16 = 0x4e5c;

/** Reads an unquoted cell as the value. Returns the stop behind it, or LEFT if it cannot be copied unchanged. */
function readUnquoted(at: i32): i32 {
  const stop = nextStop();
  valueStart = at;
  valueEnd = stop;
  const byte = load<u8>(stop);
  if (byte === QUOTE) return LEFT;
  if (byte !== BACKSLASH) return stop;
  if (stop !== at || load<u16>(at) !== MISSING) return LEFT;
  return nextStop() === at + 2 ? at + 2 : LEFT;
}

/** Passes over an unquoted cell. Returns the stop behind it, or LEFT. */
function skipUnquoted(from: i32, end: i32): i32 {
  // The bytes before it have no meaning.
  let least = from;
  while (true) {
    const stop = nextStop();
    if (stop === end || isFinalReturn(stop, end)) return stop;
    if (stop < least) continue;
    const byte = load<u8>(stop);
    if (byte === delimiter) return stop;
    if (byte === QUOTE && refusesStrayQuotes) return LEFT;
    if (byte === BACKSLASH && hasEscapes) least = stop + 2;
  }
}

/** Reads or passes over a quoted cell, whose first quote is the next stop. Returns the stop behind it, or LEFT. */
function readQuoted(kind: i32, end: i32): i32 {
  valueStart = nextStop() + 1;
  const closing = kind === IGNORED ? skipQuoted(end) : endOfQuoted();
  valueEnd = closing;
  return closing !== LEFT && nextStop() === closing + 1 ? closing + 1 : LEFT;
}

/** Returns the quote that closes a cell, or LEFT. */
function skipQuoted(end: i32): i32 {
  let least = 0;
  while (true) {
    const stop = nextStop();
    if (stop === end) return LEFT;
    if (stop < least) continue;
    const byte = load<u8>(stop);
    if (byte === QUOTE) {
      if (load<u8>(stop, 1) !== QUOTE) return stop;
      least = stop + 2;
    } else if (byte === BACKSLASH && hasEscapes) least = stop + 2;
  }
}

/** Returns the quote that closes a cell, or LEFT if the cell cannot be copied unchanged. */
function endOfQuoted(): i32 {
  let stop = nextStop();
  while (load<u8>(stop) === delimiter && delimiter >= SPACE) stop = nextStop();
  return load<u8>(stop) === QUOTE ? stop : LEFT;
}

/** Writes the value as the member of a column, with a comma behind it, unless it is absent. Returns the position after it, or LEFT. */
function writeValue(column: i32, kind: i32, to: i32): i32 {
  const length = valueEnd - valueStart;
  if (length <= MAX_ABSENT_LENGTH && isAbsent(valueStart, length)) return to;
  const isNumber = kind === NUMBER;
  if (isNumber && !isPlainNumber(valueStart, valueEnd)) return LEFT;
  let at = copy(column + COLUMN_OPEN, load<i32>(column, 4), to);
  at = copy(valueStart, length, at);
  if (!isNumber) store<u8>(at++, QUOTE);
  store<u8>(at, COMMA);
  return at + 1;
}

/** The length of the longest of the words below. */
const MAX_ABSENT_LENGTH: i32 = 4;

/** Whether the value is empty, or one of the words for an absent one. */
function isAbsent(from: i32, length: i32): bool {
  if (length <= 0) return true;
  const word = load<u32>(from);
  // NULL, null, None, <NA>
  if (length === 4)
    return word === 0x4c4c554e || word === 0x6c6c756e || word === 0x656e6f4e || word === 0x3e414e3c;
  const first = word & 0xffffff;
  // NaN, nan, NaT
  return length === 3 && (first === 0x4e614e || first === 0x6e616e || first === 0x54614e);
}

/** Whether the text is a number of JSON without sign and exponent. */
function isPlainNumber(from: i32, end: i32): bool {
  let at = skipDigits(from, end);
  const isWhole = at > from && (at === from + 1 || load<u8>(from) !== ZERO);
  if (!isWhole || at === end) return isWhole;
  if (load<u8>(at) !== POINT || at + 1 === end) return false;
  at = skipDigits(at + 1, end);
  return at === end;
}

function skipDigits(from: i32, end: i32): i32 {
  let at = from;
  while (at < end && load<u8>(at) >= ZERO && load<u8>(at) <= NINE) at++;
  return at;
}
