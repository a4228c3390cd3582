/**
 * Finds where the records of a text end: a record is a line, or several if quoted or escaped line breaks belong to it. The scan takes 64
 * bytes at once. It is AssemblyScript, compiled by `npm run build:kernels`. Its host, src/platform/lines/line-scan.ts, shares its memory:
 *
 * ```
 * ends      u32 for each record of the batch: where it ends, counted from `start`
 * text      the text from the batch's beginning on, as far as it has arrived, then BLOCK bytes of room
 * ```
 * A blank line is no record. Within a batch it stands before the next record. Batches neither begin nor end with a blank line.
 */
import { BATCH_IS_FULL, BLOCK, CONSUMED, TOO_LONG } from '../../src/platform/kernel-layout.ts';
import { BACKSLASH, CARRIAGE_RETURN, LINE_FEED, QUOTE, SPACE, TAB } from '../ascii.ts';
import { equalBytes, escapedBytes, prefixXor } from './block-bits.ts';

/** The flags in the parameter of `begin` for a backslash that escapes, and for quotes. The lowest byte has the delimiter. */
const ESCAPES: i32 = 0x100;
const QUOTES: i32 = 0x200;

/** The place where the host puts the table of ends and the text. */
export const heap: i32 = <i32>__heap_base;

let endsAt: i32 = 0;
let maxElements: i32 = 0;
let group: i32 = 0;
let fullBytes: i32 = 0;
let maxBytes: i32 = 0;
let maxRecordBytes: i32 = 0;
let hasQuotes: bool = false;
/** The byte between two cells, if there are cells. */
let delimiter: u8 = 0;
let hasEscapes: bool = false;

/** Whether a backslash escapes the byte at `position`: 1 or 0. */
let escapedBefore: u64 = 0;

/** All bits are set while a quote is open. */
let quoteBefore: u64 = 0;
/** The position of a quote that closed a quoted text. If a quote stands right behind it, also in the next block, the two are `""`. */
let closedAt: i32 = -1;
/** The position where the current record begins. */
let recordAt: i32 = 0;
/** The number of line breaks before `position`. */
let breaks: i32 = 0;

/** The next byte to look at. */
export let position: i32 = 0;
/** The position where the batch begins. */
export let start: i32 = 0;
/** The number of records of the batch that have ended. */
export let ended: i32 = 0;
/** Whether a byte of the current record has arrived. */
export let hasBegun: bool = false;
/** The line of `start`, from 0. */
export let firstLine: i32 = 0;
/** The line of the current record, from 0. */
export let recordLine: i32 = 0;

/**
 * Begins a text. src/platform/batch-kernel.ts says what the limits mean. `cells`: 0, or in CSV the byte between two cells, QUOTES if line breaks
 * may be in quotes, and ESCAPES if a backslash escapes a quote or a line break.
 */
export function begin(
  ends: i32,
  groupRecords: i32,
  bytes: i32,
  mostBytes: i32,
  recordBytes: i32,
  cells: i32,
): void {
  endsAt = ends;
  group = groupRecords;
  fullBytes = bytes;
  maxBytes = mostBytes;
  maxRecordBytes = recordBytes;
  hasQuotes = (cells & QUOTES) !== 0;
  delimiter = <u8>cells;
  hasEscapes = (cells & ESCAPES) !== 0;
  quoteBefore = escapedBefore = 0;
  breaks = recordLine = 0;
}

/** Begins a batch of at most `records`. `text`: the position of its text, at the beginning of a record. */
export function beginBatch(text: i32, records: i32): void {
  position = start = recordAt = text;
  maxElements = records;
  firstLine = recordLine;
  ended = 0;
  hasBegun = false;
  closedAt = -1;
}

/** Scans up to `to`, or until an event stops it. */
export function scan(to: i32): i32 {
  for (let i = position; i < to; i += BLOCK) {
    const wanted: u64 = to - i >= BLOCK ? ~0 : ((<u64>1) << (to - i)) - 1;
    let quoted: u64 = 0;
    let escaped: u64 = 0;
    if (hasEscapes) escaped = escapedIn(i, wanted);
    if (hasQuotes) {
      quoted = quotedIn(i, equalBytesAt(i, QUOTE) & wanted & ~escaped);
      quoteBefore = <u64>(<i64>quoted >> 63);
    }
    quoted |= escaped;
    for (let found = equalBytesAt(i, LINE_FEED) & wanted; found !== 0; found &= found - 1) {
      const bit = ctz(found);
      breaks++;
      if (((quoted >> bit) & 1) !== 0) continue;
      const at = i + <i32>bit;
      const event = endRecord(at);
      if (event === CONSUMED) continue;
      position = at + 1;
      quoteBefore = escapedBefore = 0;
      return event;
    }
  }
  position = to;
  hasBegun = recordAt < to;
  return to - recordAt > maxRecordBytes ? TOO_LONG : CONSUMED;
}

/** Ends the last record of a text without a final line break. */
export function finish(): void {
  endRecord(position);
}

function endRecord(at: i32): i32 {
  const isTooLong = at - recordAt > maxRecordBytes;
  if (isTooLong) return TOO_LONG;
  const isRecord = !isBlank(recordAt, at);
  recordAt = at + 1;
  recordLine = breaks;
  if (isRecord) {
    store<i32>(endsAt + ended * 4, at - start);
    ended++;
  } else if (ended === 0) {
    start = recordAt;
    firstLine = recordLine;
  }
  // Blank lines fill a batch too, so that memory has a limit.
  return ended > 0 && isFull(at - start) ? BATCH_IS_FULL : CONSUMED;
}

function isFull(bytes: i32): bool {
  if (ended === maxElements || bytes >= maxBytes) return true;
  return bytes >= fullBytes && (maxElements - ended) % group === 0;
}

function isBlank(from: i32, end: i32): bool {
  for (let i = from; i < end; i++) {
    const byte = load<u8>(i);
    if (byte === delimiter || (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN)) return false;
  }
  return true;
}

/**
 * Marks the bytes of the block that stand in quotes. A quote opens a quoted text only at the beginning of a cell, or right
 * behind a closing quote (`""`). Any other quote has no effect, so a stray quote does not join its line with the next.
 */
function quotedIn(at: i32, quotes: u64): u64 {
  if (quotes === 0) return quoteBefore;
  const quoted = prefixXor(quotes) ^ quoteBefore;
  for (let opening = quotes & quoted; opening !== 0; opening &= opening - 1) {
    const i = at + <i32>ctz(opening);
    const isBehindQuote = i > at && load<u8>(i - 1) === QUOTE && !(hasEscapes && isEscaped(i - 1));
    if (!isBehindQuote && !mayOpen(i)) return quotedWithStray(at, quotes);
  }
  const last = 63 - clz(quotes);
  if (((quoted >> last) & 1) === 0) closedAt = at + <i32>last;
  return quoted;
}

/** Does the work of `quotedIn` quote by quote, for a block with a stray quote. */
function quotedWithStray(at: i32, quotes: u64): u64 {
  let real: u64 = 0;
  let isOpen = quoteBefore !== 0;
  for (let left = quotes; left !== 0; left &= left - 1) {
    const i = at + <i32>ctz(left);
    if (!isOpen && !mayOpen(i)) continue;
    real |= (<u64>1) << ctz(left);
    if (isOpen) closedAt = i;
    isOpen = !isOpen;
  }
  return prefixXor(real) ^ quoteBefore;
}

/** Whether a cell begins here, or a closing quote stands before it. */
function mayOpen(at: i32): bool {
  if (at === recordAt || at - 1 === closedAt) return true;
  const before = load<u8>(at - 1);
  return (before === delimiter || before === LINE_FEED) && !(hasEscapes && isEscaped(at - 1));
}

/** Whether an odd number of backslashes stands before the byte, in its record. */
function isEscaped(at: i32): bool {
  let i = at;
  while (i > recordAt && load<u8>(i - 1) === BACKSLASH) i--;
  return ((at - i) & 1) !== 0;
}

/** Marks the bytes of the block that a backslash escapes. */
function escapedIn(at: i32, wanted: u64): u64 {
  const backslashes = equalBytesAt(at, BACKSLASH) & wanted;
  if ((backslashes | escapedBefore) === 0) return 0;
  const escaped = escapedBytes(backslashes, escapedBefore);
  // Whether the last byte of the block escapes the byte after it.
  const length = 64 - clz(wanted);
  const last = length - 1;
  escapedBefore = ((backslashes & ~escaped) >> last) & 1;
  return escaped & wanted;
}

function equalBytesAt(at: i32, byte: u8): u64 {
  return equalBytes(v128.load(at), v128.load(at, 16), v128.load(at, 32), v128.load(at, 48), byte);
}
