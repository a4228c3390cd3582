/**
 * Reads records of CSV as entries, in place: each cell becomes the value of a member. The host writes the JSON of all records that the
 * kernel cannot read (src/features/uploads/forms/csv-entries.ts).
 */
import {
  DECIMAL,
  HAS_ESCAPES,
  HAS_QUOTES,
  HAS_STRAY_QUOTES,
  IGNORED,
  MEMBER_SIZE,
  MEMBER_VALUE,
  SHAPE_COUNT,
  SHAPE_MEMBERS,
  SHAPE_REQUIRED,
  URL,
  VALUE_KIND,
  VALUE_MAX,
  VALUE_MIN,
} from '../../src/core/sitemap/kernel-layout.ts';
import { BACKSLASH, CARRIAGE_RETURN, QUOTE, SPACE } from '../ascii.ts';
import { beginStops, delimiter, nextStop, setDelimiter } from './cell-stops.ts';
import { readDecimal } from './numbers.ts';
import { isAccepted } from './objects.ts';
import { setSlot, takeSlots } from './slots.ts';
import { LEFT, setValue, valueEnd, valueHasReferences, valueStart } from './strings.ts';
import { readUrl } from './urls.ts';

/** The size of a column: an i32 that names the member of its values, or IGNORED. */
const COLUMN_BYTES: i32 = 4;

let columns: i32 = 0;
let endOfColumns: i32 = 0;
let hasEscapes: bool = false;
let hasQuotes: bool = true;
let refusesStrayQuotes: bool = true;

/** The cell that was read last. */
let cellStart: i32 = 0;
let cellEnd: i32 = 0;

/** Sets the syntax of the cells of all later records. `flags`: as in kernel-layout.ts. */
export function setCells(columnsAt: i32, count: i32, separator: i32, flags: i32): void {
  columns = columnsAt;
  endOfColumns = columnsAt + count * COLUMN_BYTES;
  setDelimiter(<u8>separator);
  hasEscapes = (flags & HAS_ESCAPES) !== 0;
  hasQuotes = (flags & HAS_QUOTES) !== 0;
  refusesStrayQuotes = (flags & HAS_STRAY_QUOTES) !== 0;
}

/** Begins with the record at `at`. */
export function beginCells(at: i32): void {
  beginStops(at);
}

/**
 * Reads the record from `start` to `end` as an object of the shape. The next stops must be those of the record. No column may be for an
 * object or a list. Writes a quote behind each value, because readers of JSON look for it. Returns `end`, or LEFT.
 */
export function readCells(start: i32, end: i32, shape: i32, slot: i32): i32 {
  const separator = delimiter;
  const base = takeSlots(load<i32>(shape, SHAPE_COUNT));
  let at = start;
  let present: u32 = 0;
  // The host reads records with white space or blank lines before them.
  if (load<u8>(at) <= SPACE && load<u8>(at) !== separator) return LEFT;
  for (let column = columns; ; ) {
    const member = load<i32>(column);
    let stop: i32;
    if (hasQuotes && load<u8>(at) === QUOTE) stop = readQuoted(member, end);
    else if (member === IGNORED) stop = skipUnquoted(at, end);
    else stop = readUnquoted(at);
    if (stop === LEFT) return LEFT;
    column += COLUMN_BYTES;
    const isLast = column === endOfColumns;
    if (isLast) {
      if (isFinalReturn(stop, end)) stop = nextStop();
      if (stop !== end) return LEFT;
    } else if (stop === end || load<u8>(stop) !== separator) return LEFT;
    if (member !== IGNORED && !isAbsent(cellStart, cellEnd - cellStart)) {
      if (!readCell(shape + SHAPE_MEMBERS + member * MEMBER_SIZE + MEMBER_VALUE, base + member)) return LEFT;
      present |= (<u32>1) << member;
    }
    if (isLast) break;
    at = stop + 1;
  }
  const required = load<u32>(shape, SHAPE_REQUIRED);
  if ((present & required) !== required) return LEFT;
  setSlot(slot, base);
  return end;
}

/** Whether the byte is the carriage return of the line break. */
function isFinalReturn(at: i32, end: i32): bool {
  return at + 1 === end && load<u8>(at) === CARRIAGE_RETURN;
}

/** `\N` */
const MISSING: u16 = 0x4e5c;

/** Reads an unquoted cell; a cell `\N` becomes empty. Returns the stop behind the cell, or LEFT for any other quote or backslash. */
function readUnquoted(at: i32): i32 {
  const stop = nextStop();
  cellStart = at;
  cellEnd = stop;
  const byte = load<u8>(stop);
  if (byte === QUOTE) return LEFT;
  if (byte !== BACKSLASH) return stop;
  if (stop !== at || load<u16>(at) !== MISSING) return LEFT;
  return nextStop() === at + 2 ? at + 2 : LEFT;
}

/** Passes over an unquoted cell. Returns the stop behind it, or LEFT. */
function skipUnquoted(from: i32, end: i32): i32 {
  // Stops before this position are escaped.
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

/** Reads or skips a quoted cell. Its first quote is the next stop. Returns the stop behind the cell, or LEFT. */
function readQuoted(member: i32, end: i32): i32 {
  cellStart = nextStop() + 1;
  const closing = member === IGNORED ? skipQuoted(end) : endOfQuoted();
  cellEnd = closing;
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

/** Returns the quote that closes a cell, or LEFT for a cell with a backslash or a control character. */
function endOfQuoted(): i32 {
  let stop = nextStop();
  while (load<u8>(stop) === delimiter && delimiter >= SPACE) stop = nextStop();
  return load<u8>(stop) === QUOTE ? stop : LEFT;
}

/** Whether the value is empty, or one of the words for an absent value. */
function isAbsent(from: i32, length: i32): bool {
  if (length > 4) return false;
  if (length <= 0) return true;
  const word = load<u32>(from);
  // NULL, null, None, <NA>, #N/A
  if (length === 4)
    return (
      word === 0x4c4c554e ||
      word === 0x6c6c756e ||
      word === 0x656e6f4e ||
      word === 0x3e414e3c ||
      word === 0x412f4e23
    );
  if (length === 2) return (word & 0xffff) === 0x414e; // NA
  const first = word & 0xffffff;
  // NaN, nan, NaT, N/A, n/a
  return (
    length === 3 &&
    (first === 0x4e614e ||
      first === 0x6e616e ||
      first === 0x54614e ||
      first === 0x412f4e ||
      first === 0x612f6e)
  );
}

/** Reads the cell into a slot. Returns false if the cell is no value of this kind. */
function readCell(value: i32, slot: i32): bool {
  const kind = load<i32>(value, VALUE_KIND);
  const min = load<f64>(value, VALUE_MIN);
  const max = load<f64>(value, VALUE_MAX);
  const end = cellEnd;
  store<u8>(end, QUOTE);
  if (kind === DECIMAL) {
    if (readDecimal(cellStart, min, max) !== end) return false;
  } else if (kind === URL) {
    if (readUrl(cellStart, min) === LEFT) return false;
  } else {
    setValue(cellStart, end);
    if (!isAccepted(kind, value, min, max)) return false;
  }
  setSlot(slot, valueStart, valueEnd, valueHasReferences);
  return true;
}
