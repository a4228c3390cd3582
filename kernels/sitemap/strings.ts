/**
 * Reads JSON strings. A string without escapes stays in place. Otherwise it is decoded into the scratch. Further steps may write there,
 * too. The texts of an entry in the scratch are valid until the next entry.
 */
import { VECTOR } from '../../src/platform/kernel-layout.ts';
import { BACKSLASH, QUOTE } from '../ascii.ts';
import { copy } from '../vectors.ts';

/** Returned instead of a position: the kernel leaves this entry to its host. At 0 there is static data and never JSON. */
export const LEFT: i32 = 0;

/** The value that was read last: its bytes in the batch, in the scratch or in static data. */
export let valueStart: i32 = 0;
export let valueEnd: i32 = 0;
/** Whether the value may have characters that XML needs as references. */
export let valueHasReferences: bool = false;

export function setValue(start: i32, end: i32): void {
  valueStart = start;
  valueEnd = end;
  valueHasReferences = false;
}

export function markReferences(): void {
  valueHasReferences = true;
}

let scratch: i32 = 0;
let scratchEnd: i32 = 0;
let entryEnd: i32 = 0;

/** Begins an entry. `end`: its end. The scratch must be at least as long as the entry. */
export function startEntry(end: i32, scratchFrom: i32, scratchTo: i32): void {
  entryEnd = end;
  scratch = scratchFrom;
  scratchEnd = scratchTo;
}

/** Returns a place for `bytes` bytes and a vector more; LEFT if there is no room. */
export function scratchFor(bytes: i32): i32 {
  return scratch + bytes + VECTOR <= scratchEnd ? scratch : LEFT;
}

/** Keeps the bytes in the scratch before `end`. */
export function keepScratch(end: i32): void {
  scratch = end;
}

/** The first quote, backslash or control character at `at` or later. After the batch there are zeros. */
export function findStop(at: i32): i32 {
  // This function has no loop, so the compiler inlines it.
  const stops = stopsIn(v128.load(at));
  return stops === 0 ? findLaterStop(at + VECTOR) : at + ctz(stops);
}

function findLaterStop(at: i32): i32 {
  let i = at;
  let stops = stopsIn(v128.load(i));
  while (stops === 0) {
    i += VECTOR;
    stops = stopsIn(v128.load(i));
  }
  return i + ctz(stops);
}

function stopsIn(bytes: v128): i32 {
  const quotes = i8x16.eq(bytes, i8x16.splat(QUOTE));
  const backslashes = i8x16.eq(bytes, i8x16.splat(BACKSLASH));
  const controls = i8x16.lt_u(bytes, i8x16.splat(0x20));
  return i8x16.bitmask(v128.or(v128.or(quotes, backslashes), controls));
}

/** Reads the string whose first byte after the quote is at `at`, as `value`. Returns the position after its quote. */
export function readString(at: i32): i32 {
  const stop = findStop(at);
  const byte = load<u8>(stop);
  if (byte === QUOTE) {
    setValue(at, stop);
    return stop + 1;
  }
  return byte === BACKSLASH ? readEscaped(at, stop) : LEFT;
}

/**
 * Decodes a string whose first backslash is at `backslash`. Leaves strings with control characters that XML forbids, so
 * callers need not look for them. A quote follows the result.
 */
function readEscaped(at: i32, backslash: i32): i32 {
  // A decoded string is never longer than as given. A malformed one may reach into the next entry.
  if (backslash > entryEnd || scratchFor(entryEnd - at) === LEFT) return LEFT;
  const start = scratch;
  let i = backslash;
  let o = copy(at, i - at, start);
  while (true) {
    const escaped = load<u8>(i + 1);
    if (escaped === 0x75) {
      const code = fourHexDigits(i + 2);
      if (code < 0) return LEFT;
      if ((code & 0xf800) !== 0xd800) {
        if (code < 0x20 && !isXmlControl(<u8>code)) return LEFT;
        o = writeUtf8(code, o);
        i += 6;
      } else {
        // A high surrogate, then a low one.
        const low = load<u16>(i + 6) === 0x755c ? fourHexDigits(i + 8) : -1;
        if (code >= 0xdc00 || (low & 0xfc00) !== 0xdc00 || low < 0) return LEFT;
        o = writeUtf8(0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff), o);
        i += 12;
      }
    } else {
      const byte = unescaped(escaped);
      if (byte === 0) return LEFT;
      store<u8>(o++, byte);
      i += 2;
    }
    let stops: i32;
    while (true) {
      if (i > entryEnd) return LEFT;
      const bytes = v128.load(i);
      v128.store(o, bytes);
      stops = stopsIn(bytes);
      if (stops !== 0) break;
      i += VECTOR;
      o += VECTOR;
    }
    i += ctz(stops);
    o += ctz(stops);
    const stop = load<u8>(i);
    if (stop === QUOTE) break;
    if (stop !== BACKSLASH) return LEFT;
  }
  store<u8>(o, QUOTE);
  setValue(start, o);
  scratch = o + 1;
  return i + 1;
}

/** Returns the character of an escape. Returns 0 for an unknown escape, for `\u`, and for a character that XML forbids. */
function unescaped(character: u8): u8 {
  switch (character) {
    case 0x22:
    case 0x2f:
    case 0x5c:
      return character;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    default:
      return 0;
  }
}

function isXmlControl(byte: u8): bool {
  return byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** For each byte: its value as a hexadecimal digit, or a negative number. */
const HEX_VALUES = memory.data(256, 16);
memory.fill(HEX_VALUES, 0xff, 256);
for (let value = 0; value < 16; value++) {
  store<u8>(HEX_VALUES + '0123456789abcdef'.charCodeAt(value), <u8>value);
  store<u8>(HEX_VALUES + '0123456789ABCDEF'.charCodeAt(value), <u8>value);
}

/** Returns the value of a hexadecimal digit, or a negative number for any other byte. */
export function hexValue(at: i32): i32 {
  return load<i8>(HEX_VALUES + load<u8>(at));
}

/** Returns the value of four hexadecimal digits, or a negative number for any other text. */
export function fourHexDigits(at: i32): i32 {
  return (hexValue(at) << 12) | (hexValue(at + 1) << 8) | (hexValue(at + 2) << 4) | hexValue(at + 3);
}

/** Returns the position after the character. */
function writeUtf8(code: i32, to: i32): i32 {
  if (code < 0x80) {
    store<u8>(to, <u8>code);
    return to + 1;
  }
  if (code < 0x800) {
    store<u8>(to, <u8>(0xc0 | (code >> 6)));
    store<u8>(to, <u8>(0x80 | (code & 0x3f)), 1);
    return to + 2;
  }
  if (code < 0x10000) {
    store<u8>(to, <u8>(0xe0 | (code >> 12)));
    store<u8>(to, <u8>(0x80 | ((code >> 6) & 0x3f)), 1);
    store<u8>(to, <u8>(0x80 | (code & 0x3f)), 2);
    return to + 3;
  }
  store<u8>(to, <u8>(0xf0 | (code >> 18)));
  store<u8>(to, <u8>(0x80 | ((code >> 12) & 0x3f)), 1);
  store<u8>(to, <u8>(0x80 | ((code >> 6) & 0x3f)), 2);
  store<u8>(to, <u8>(0x80 | (code & 0x3f)), 3);
  return to + 4;
}
