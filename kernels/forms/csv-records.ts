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
import { COLUMN_BYTES, COLUMN_OPEN, NUMBER } from '../../src/features/uploads/forms/kernel-layout.ts';
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
  if (load<u8>(at) <= SPACE) return LEFT;
  for (let i = 0; i < columnCount; i++) {
    const column = columns + i * COLUMN_BYTES;
    const isQuoted = load<u8>(at) === QUOTE;
    if (isQuoted) at++;
    const value = to + load<i32>(column, 4);
    const valueTo = copyValue(at, value, isQuoted);
    if (valueTo === LEFT) return LEFT;
    at = isQuoted ? valueEnd + 1 : valueEnd;
    if (valueTo > value) to = finishValue(column, to, value, valueTo);
    if (to === LEFT) return LEFT;
    if (at + 1 === end && load<u8>(at) === CARRIAGE_RETURN) at++;
    if (i === columnCount - 1) break;
    if (at >= end || load<u8>(at) !== COMMA) return LEFT;
    at++;
  }
  if (at !== end || to === json + 1) return LEFT;
  // The bracket replaces the last comma.
  store<u8>(to - 1, CLOSE_OBJECT);
  return to;
}

/** Writes the JSON before the value and the quote and comma behind it. Returns the position after them, or LEFT. */
function finishValue(column: i32, to: i32, value: i32, valueTo: i32): i32 {
  const isNumber = load<i32>(column) === NUMBER;
  if (isNumber && !isPlainNumber(value, valueTo)) return LEFT;
  memory.copy(to, column + COLUMN_OPEN, value - to);
  let at = valueTo;
  if (!isNumber) store<u8>(at++, QUOTE);
  store<u8>(at++, COMMA);
  return at;
}

/** Copies a value and sets `valueEnd`. Returns the end of the copy, or LEFT if the value cannot be copied unchanged. */
function copyValue(from: i32, to: i32, isQuoted: bool): i32 {
  let at = from;
  let end = to;
  while (true) {
    const bytes = v128.load(at);
    v128.store(end, bytes);
    let stops = v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH)));
    stops = v128.or(stops, i8x16.lt_u(bytes, i8x16.splat(SPACE)));
    if (!isQuoted) stops = v128.or(stops, i8x16.eq(bytes, i8x16.splat(COMMA)));
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
