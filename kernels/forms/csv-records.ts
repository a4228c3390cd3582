/**
 * Turns records of CSV into the JSON of entries, sixteen bytes at a time. It is AssemblyScript, compiled to
 * forms-kernel.wasm by `npm run build:kernels`. It refuses no record: one that it cannot read is left to the host,
 * ../csv-entries.ts. Both share memory:
 *
 * ```
 * columns   COLUMN_BYTES for each: kind, length of the JSON before the value, that JSON
 * records   the batch, then VECTOR bytes of 0
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
import { VECTOR } from '../../src/platform/kernel-layout.ts';
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

/** The host may use the memory from this address on. */
export const heap: i32 = <i32>__heap_base;

const LEFT: i32 = -1;

/** The address of the next byte of JSON. */
export let jsonAt: i32 = 0;

/** The address in the record of the byte that ends the last copied value. */
let valueEnd: i32 = 0;

let delimiter: u8 = COMMA;
let hasEscapes: bool = false;
let refusesStrayQuotes: bool = true;

/** Says how the cells of all later records are written. `flags` are those of kernel-layout.ts. */
export function setCells(byte: i32, flags: i32): void {
  delimiter = <u8>byte;
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
  for (let i = first; i < count; i++) {
    const start = i === 0 ? records : records + load<i32>(ends + (i - 1) * 4) + 1;
    const end = readRecord(columns, columnCount, start, records + load<i32>(ends + i * 4), jsonAt);
    if (end === LEFT) return i;
    store<i32>(jsonEnds + i * 4, end - json);
    store<u8>(end, COMMA);
    jsonAt = end + 1;
  }
  return count;
}

/** Reads one record. Returns the end of its JSON, or LEFT. */
function readRecord(columns: i32, columnCount: i32, start: i32, end: i32, json: i32): i32 {
  let at = start;
  let to = json;
  store<u8>(to++, OPEN_OBJECT);
  // The host reads records after blank lines.
  if (load<u8>(at) <= SPACE && load<u8>(at) !== delimiter) return LEFT;
  const separator = delimiter;
  for (let i = 0; i < columnCount; i++) {
    const column = columns + i * COLUMN_BYTES;
    const kind = load<i32>(column);
    const isQuoted = load<u8>(at) === QUOTE;
    if (kind === IGNORED) {
      at = isQuoted ? skipQuoted(at + 1, end) : skipUnquoted(at, end);
      if (at === LEFT) return LEFT;
    } else {
      if (isQuoted) at++;
      const value = to + load<i32>(column, 4);
      const valueTo = copyValue(at, value, isQuoted, separator);
      if (valueTo === LEFT) {
        if (isQuoted || !isMissing(at, end)) return LEFT;
        at += 2;
      } else {
        at = isQuoted ? valueEnd + 1 : valueEnd;
        if (valueTo - value > MAX_ABSENT_LENGTH) to = finishValue(column, kind, to, value, valueTo);
        else if (valueTo > value && !isAbsentWord(value, valueTo))
          to = finishValue(column, kind, to, value, valueTo);
        if (to === LEFT) return LEFT;
      }
    }
    if (at + 1 === end && load<u8>(at) === CARRIAGE_RETURN) at++;
    if (i === columnCount - 1) break;
    if (at >= end || load<u8>(at) !== separator) return LEFT;
    at++;
  }
  if (at !== end || to === json + 1) return LEFT;
  // The bracket replaces the last comma.
  store<u8>(to - 1, CLOSE_OBJECT);
  return to;
}

/** `\N` */
const MISSING: u16 = 0x4e5c;

/** Whether the cell is `\N` alone. */
function isMissing(at: i32, end: i32): bool {
  if (load<u16>(at) !== MISSING) return false;
  const after = at + 2;
  return (
    after === end ||
    load<u8>(after) === delimiter ||
    (after + 1 === end && load<u8>(after) === CARRIAGE_RETURN)
  );
}

/** The length of the longest of the words below. */
const MAX_ABSENT_LENGTH: i32 = 4;

/** Whether the copied value is one of the words for an absent one. */
function isAbsentWord(from: i32, end: i32): bool {
  const length = end - from;
  if (length === 4) {
    const word = load<u32>(from);
    // NULL, null, None, <NA>
    return word === 0x4c4c554e || word === 0x6c6c756e || word === 0x656e6f4e || word === 0x3e414e3c;
  }
  if (length !== 3) return false;
  const word = load<u32>(from) & 0xffffff;
  // NaN, nan, NaT
  return word === 0x4e614e || word === 0x6e616e || word === 0x54614e;
}

/** Returns the position of the byte after an unquoted cell, or LEFT. */
function skipUnquoted(from: i32, end: i32): i32 {
  const separator = delimiter;
  // A byte without a meaning is looked for as the separator, which costs less than a branch.
  const quote = refusesStrayQuotes ? QUOTE : separator;
  const backslash = hasEscapes ? BACKSLASH : separator;
  let at = from;
  while (at < end) {
    const bytes = v128.load(at);
    let stops = v128.or(i8x16.eq(bytes, i8x16.splat(separator)), i8x16.eq(bytes, i8x16.splat(quote)));
    stops = v128.or(stops, i8x16.eq(bytes, i8x16.splat(backslash)));
    const found = i8x16.bitmask(stops);
    if (found === 0) {
      at += VECTOR;
      continue;
    }
    at += ctz(found);
    if (at >= end) break;
    const stop = load<u8>(at);
    if (stop === separator) return at;
    if (stop === QUOTE) return LEFT;
    at += 2;
  }
  return end > from && load<u8>(end - 1) === CARRIAGE_RETURN ? end - 1 : end;
}

/** Returns the position after the quote that closes a cell, or LEFT. */
function skipQuoted(from: i32, end: i32): i32 {
  let at = from;
  while (at < end) {
    const bytes = v128.load(at);
    let stops = i8x16.eq(bytes, i8x16.splat(QUOTE));
    if (hasEscapes) stops = v128.or(stops, i8x16.eq(bytes, i8x16.splat(BACKSLASH)));
    const found = i8x16.bitmask(stops);
    if (found === 0) {
      at += VECTOR;
      continue;
    }
    at += ctz(found);
    if (at >= end) break;
    if (load<u8>(at) === BACKSLASH || (at + 1 < end && load<u8>(at + 1) === QUOTE)) at += 2;
    else return at + 1;
  }
  return LEFT;
}

/** Writes the JSON before the value and the quote and comma behind it. Returns the position after them, or LEFT. */
function finishValue(column: i32, kind: i32, to: i32, value: i32, valueTo: i32): i32 {
  const isNumber = kind === NUMBER;
  if (isNumber && !isPlainNumber(value, valueTo)) return LEFT;
  memory.copy(to, column + COLUMN_OPEN, value - to);
  let at = valueTo;
  if (!isNumber) store<u8>(at++, QUOTE);
  store<u8>(at++, COMMA);
  return at;
}

/** Copies a value and sets `valueEnd`. Returns the end of the copy, or LEFT if the value cannot be copied unchanged. */
function copyValue(from: i32, to: i32, isQuoted: bool, separator: u8): i32 {
  let at = from;
  let end = to;
  while (true) {
    const bytes = v128.load(at);
    v128.store(end, bytes);
    let stops = v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH)));
    stops = v128.or(stops, i8x16.lt_u(bytes, i8x16.splat(SPACE)));
    if (!isQuoted) stops = v128.or(stops, i8x16.eq(bytes, i8x16.splat(separator)));
    const found = i8x16.bitmask(stops);
    if (found === 0) {
      at += VECTOR;
      end += VECTOR;
      continue;
    }
    at += ctz(found);
    end += ctz(found);
    break;
  }
  valueEnd = at;
  const stop = load<u8>(at);
  if (isQuoted) return stop === QUOTE ? end : LEFT;
  return stop === QUOTE || stop === BACKSLASH ? LEFT : end;
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
