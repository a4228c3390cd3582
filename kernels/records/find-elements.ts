/**
 * Finds where the elements of a JSON array end. Inside of an element's brackets the scan takes 64 bytes at once, as simdjson does. It is
 * AssemblyScript, compiled by `npm run build:kernels`. Its host, src/platform/json/element-scan.ts, shares its memory:
 *
 * ```
 * ends      u32 for each element of the batch: where it ends, counted from `start`
 * text      the array's text from the batch's beginning on, as far as it has arrived, then BLOCK bytes of room
 * ```
 * In brackets a backslash always escapes the next byte. Outside of strings a backslash is malformed, and the parser of the element finds
 * it.
 */
import {
  ARRAY_ENDS,
  BATCH_IS_FULL,
  BLOCK,
  BRACE_IS_NOT_OPEN,
  CONSUMED,
  ELEMENT_IS_MISSING,
  TOO_DEEP,
  TOO_LONG,
} from '../../src/platform/kernel-layout.ts';
import { BACKSLASH, CLOSE_ARRAY, COMMA, QUOTE } from '../ascii.ts';
import { equalBytes, escapedBytes, joined, prefixXor } from './block-bits.ts';

/** A bracket and a brace differ only in BRACE_BIT. The scan ignores this bit; the elements' parser checks it. */
const OPEN: u8 = 0x7b;
const CLOSE: u8 = 0x7d;
const BRACE_BIT: u8 = 0x20;

/** The place where the host puts the table of ends and the text. */
export const heap: i32 = <i32>__heap_base;

let endsAt: i32 = 0;
let maxElements: i32 = 0;
let group: i32 = 0;
let fullBytes: i32 = 0;
let maxBytes: i32 = 0;
let maxElementBytes: i32 = 0;
let maxDepth: i32 = 0;

let inString: bool = false;
let isEscaped: bool = false;
let depth: i32 = 0;

/** The next byte to look at. */
export let position: i32 = 0;
/** The position where the batch begins. */
export let start: i32 = 0;
/** The number of elements of the batch that have ended. */
export let ended: i32 = 0;
/** Whether a byte of the current element has arrived. */
export let hasBegun: bool = false;

/** Begins an array. src/platform/batch-kernel.ts says what the limits mean. */
export function begin(
  ends: i32,
  groupElements: i32,
  bytes: i32,
  mostBytes: i32,
  elementBytes: i32,
  depthLimit: i32,
): void {
  endsAt = ends;
  group = groupElements;
  fullBytes = bytes;
  maxBytes = mostBytes;
  maxElementBytes = elementBytes;
  maxDepth = depthLimit;
  inString = isEscaped = false;
  depth = 0;
}

/** Begins a batch of at most `elements`. `text`: the position of its text, outside of any element. */
export function beginBatch(text: i32, elements: i32): void {
  position = start = text;
  maxElements = elements;
  ended = 0;
  hasBegun = false;
}

/** Scans up to `to`, or until an event stops it. */
export function scan(to: i32): i32 {
  let i = position;
  let event = CONSUMED;
  while (i < to && event === CONSUMED) {
    if (depth > 0) {
      i = to - i >= BLOCK ? skipBlocks(i, to) : skipByte(i);
      if (depth > maxDepth) event = TOO_DEEP;
      continue;
    }
    const byte = load<u8>(i);
    if (isEscaped) isEscaped = false;
    else if (inString) {
      if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) inString = false;
    } else if (byte === COMMA || byte === CLOSE_ARRAY) event = endElement(i, byte);
    else if (!isSpace(byte)) {
      if (!hasBegun && ended === 0) start = i;
      hasBegun = true;
      if (byte === QUOTE) inString = true;
      else if ((byte | BRACE_BIT) === OPEN) depth = 1;
      else if (byte === CLOSE) event = BRACE_IS_NOT_OPEN;
    }
    i++;
  }
  position = i;
  return event === CONSUMED && (hasBegun || ended > 0) && isTooLong(i - start) ? TOO_LONG : event;
}

/** If an array ends in an empty batch, the host decides whether it is empty or lacks an element. */
function endElement(at: i32, byte: u8): i32 {
  if (!hasBegun) return byte === CLOSE_ARRAY && ended === 0 ? ARRAY_ENDS : ELEMENT_IS_MISSING;
  const end = at - start;
  if (isTooLong(end)) return TOO_LONG;
  store<i32>(endsAt + ended * 4, end);
  ended++;
  hasBegun = false;
  if (byte === CLOSE_ARRAY) return ARRAY_ENDS;
  return isFull(end) ? BATCH_IS_FULL : CONSUMED;
}

function isFull(bytes: i32): bool {
  if (ended === maxElements || bytes >= maxBytes) return true;
  return bytes >= fullBytes && (maxElements - ended) % group === 0;
}

/** Whether the current element is too long. The comma between two elements belongs to neither. */
function isTooLong(end: i32): bool {
  return end - (ended === 0 ? 0 : load<i32>(endsAt + (ended - 1) * 4) + 1) > maxElementBytes;
}

function isSpace(byte: u8): bool {
  return byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

/** Looks at one byte inside of brackets. Returns the position after it. */
function skipByte(at: i32): i32 {
  const byte = load<u8>(at);
  if (isEscaped) isEscaped = false;
  else if (byte === BACKSLASH) isEscaped = true;
  else if (byte === QUOTE) inString = !inString;
  else if (!inString) {
    if ((byte | BRACE_BIT) === OPEN) depth++;
    else if ((byte | BRACE_BIT) === CLOSE) depth--;
  }
  return at + 1;
}

/**
 * Looks at whole blocks inside of brackets. Returns the position behind the last block, behind the bracket that closes the element, or
 * behind a bracket that is too deep.
 */
function skipBlocks(at: i32, to: i32): i32 {
  let i = at;
  let stringBefore: u64 = inString ? ~0 : 0;
  let escapedBefore: u64 = isEscaped ? 1 : 0;
  for (; i + BLOCK <= to; i += BLOCK) {
    const a = v128.load(i);
    const b = v128.load(i, 16);
    const c = v128.load(i, 32);
    const d = v128.load(i, 48);
    let quotes = equalBytes(a, b, c, d, QUOTE);
    const backslashes = equalBytes(a, b, c, d, BACKSLASH);
    if ((backslashes | escapedBefore) !== 0) {
      const escaped = escapedBytes(backslashes, escapedBefore);
      quotes &= ~escaped;
      escapedBefore = (backslashes & ~escaped) >> 63;
    }
    const strings = prefixXor(quotes) ^ stringBefore;
    stringBefore = <u64>(<i64>strings >> 63);
    let brackets = bracketBytes(a, b, c, d) & ~strings;
    for (; brackets !== 0; brackets &= brackets - 1) {
      const bracket = i + <i32>ctz(brackets);
      if ((load<u8>(bracket) | BRACE_BIT) === OPEN) {
        if (++depth > maxDepth) return bracket + 1;
      } else if (--depth === 0) {
        inString = isEscaped = false;
        return bracket + 1;
      }
    }
  }
  inString = stringBefore !== 0;
  isEscaped = escapedBefore !== 0;
  return i;
}

function bracketBytes(a: v128, b: v128, c: v128, d: v128): u64 {
  return joined(brackets(a), brackets(b), brackets(c), brackets(d));
}

function brackets(bytes: v128): v128 {
  const kinds = v128.or(bytes, i8x16.splat(BRACE_BIT));
  return v128.or(i8x16.eq(kinds, i8x16.splat(OPEN)), i8x16.eq(kinds, i8x16.splat(CLOSE)));
}
