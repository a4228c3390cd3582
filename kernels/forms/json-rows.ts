/**
 * Writes rows of columns as the JSON of entries, for src/features/uploads/forms/json-rows.ts. A column has texts or finished JSON; an
 * empty value is an absent member.
 *
 * ```
 * column    ROW_COLUMN_BYTES: kind, the bits that say which texts are there (0: all), the bit of row 0, the place of the first u32 offset,
 *           the place that offset 0 means, the length of the JSON before a value, and from ROW_COLUMN_OPEN on that JSON
 * ```
 */
import {
  ROW_COLUMN_BYTES,
  ROW_COLUMN_OPEN,
  ROW_TEXT,
} from '../../src/features/uploads/forms/kernel-layout.ts';
import { VECTOR } from '../../src/platform/kernel-layout.ts';
import { BACKSLASH, CLOSE_OBJECT, COMMA, LETTER_U, OPEN_OBJECT, QUOTE, SPACE, ZERO } from '../ascii.ts';
import { copy } from '../vectors.ts';

/** The longest escape of one byte. */
const MAX_ESCAPE_BYTES: i32 = 6;

/** The address after the last row. */
export let rowsEnd: i32 = 0;

/**
 * Writes rows from `first` on, each with a comma after it. Stores the position of each comma, counted from `start`, in `ends`. Returns the
 * first row that is not written: a row without a value, a row that may go beyond `limit`, or any row once the JSON reaches `full`. Returns
 * `count` if all rows are written.
 */
export function writeRows(
  columns: i32,
  columnCount: i32,
  first: i32,
  count: i32,
  start: i32,
  at: i32,
  full: i32,
  limit: i32,
  ends: i32,
): i32 {
  const endOfColumns = columns + columnCount * ROW_COLUMN_BYTES;
  rowsEnd = at;
  for (let row = first; row < count; row++) {
    if (rowsEnd >= full) return row;
    let to = rowsEnd;
    store<u8>(to++, OPEN_OBJECT);
    for (let column = columns; column < endOfColumns; column += ROW_COLUMN_BYTES) {
      const offset = load<i32>(column, 12) + 4 * row;
      const from = load<i32>(offset);
      const length = load<i32>(offset, 4) - from;
      if (length === 0 || !isThere(column, row)) continue;
      if (limit - to < ROW_COLUMN_BYTES + 2 * VECTOR + MAX_ESCAPE_BYTES * length) return row;
      to = copy(column + ROW_COLUMN_OPEN, load<i32>(column, 20), to);
      const value = load<i32>(column, 16) + from;
      if (load<i32>(column) === ROW_TEXT) {
        store<u8>(to++, QUOTE);
        to = writeText(value, value + length, to);
        store<u8>(to++, QUOTE);
      } else to = copy(value, length, to);
      store<u8>(to++, COMMA);
    }
    if (to === rowsEnd + 1) return row;
    // The bracket replaces the last comma.
    store<u8>(to - 1, CLOSE_OBJECT);
    store<u8>(to, COMMA);
    store<i32>(ends, to - start);
    ends += 4;
    rowsEnd = to + 1;
  }
  return count;
}

function isThere(column: i32, row: i32): bool {
  const bits = load<i32>(column, 4);
  if (bits === 0) return true;
  const bit = row + load<i32>(column, 8);
  return ((load<u8>(bits + (bit >> 3)) >> <u8>(bit & 7)) & 1) === 1;
}

/** Writes the content of a string. Reads and writes up to a vector more. */
function writeText(from: i32, end: i32, to: i32): i32 {
  let i = from;
  let o = to;
  while (i < end) {
    const bytes = v128.load(i);
    v128.store(o, bytes);
    const stops = ctz(stopsIn(bytes) | (1 << VECTOR));
    if (i + stops >= end) return o + (end - i);
    i += stops;
    o += stops;
    if (stops < VECTOR) o = writeEscape(load<u8>(i++), o);
  }
  return o;
}

function stopsIn(bytes: v128): i32 {
  const marks = v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH)));
  return i8x16.bitmask(v128.or(marks, i8x16.lt_u(bytes, i8x16.splat(SPACE))));
}

function writeEscape(byte: u8, to: i32): i32 {
  store<u8>(to, BACKSLASH);
  if (byte === QUOTE || byte === BACKSLASH) {
    store<u8>(to, byte, 1);
    return to + 2;
  }
  store<u8>(to, LETTER_U, 1);
  store<u8>(to, ZERO, 2);
  store<u8>(to, ZERO, 3);
  store<u8>(to, ZERO + (byte >> 4), 4);
  const low: u8 = byte & 15;
  store<u8>(to, low < 10 ? ZERO + low : 0x57 + low, 5);
  return to + MAX_ESCAPE_BYTES;
}
