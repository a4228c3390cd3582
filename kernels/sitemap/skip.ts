/** Skips text that the kernel does not read: white space, and the values of unknown members. These values must still be JSON. */
import { VECTOR } from '../../src/platform/kernel-layout.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from '../ascii.ts';
import { skipNumber } from './numbers.ts';
import { findStop, fourHexDigits, LEFT } from './strings.ts';

/** The deepest nesting of an entry, as in platform/json/element-scan.ts. Lines come here without that scan. */
const MAX_DEPTH: i32 = 30;

/** `null`, `true` and `alse`, in the order of memory. */
const NULL: u32 = 0x6c6c756e;
const TRUE: u32 = 0x65757274;
const ALSE: u32 = 0x65736c61;

export function isNull(at: i32): bool {
  return load<u32>(at) === NULL;
}

export function isTrue(at: i32): bool {
  return load<u32>(at) === TRUE;
}

export function isFalse(at: i32): bool {
  return load<u8>(at) === 0x66 && load<u32>(at + 1) === ALSE;
}

export function skipSpace(at: i32): i32 {
  return load<u8>(at) > 0x20 ? at : skipLongSpace(at);
}

function skipLongSpace(at: i32): i32 {
  let i = at;
  // Each step looks at sixteen bytes: enough for one blank, or for a line end with its indentation.
  while (true) {
    const bytes = v128.load(i);
    const blanks = v128.or(i8x16.eq(bytes, i8x16.splat(0x20)), i8x16.eq(bytes, i8x16.splat(0x09)));
    const ends = v128.or(i8x16.eq(bytes, i8x16.splat(0x0a)), i8x16.eq(bytes, i8x16.splat(0x0d)));
    const others = 0xffff ^ i8x16.bitmask(v128.or(blanks, ends));
    if (others !== 0) return i + ctz(others);
    i += VECTOR;
  }
}

/**
 * Returns the position after the value at `at`; LEFT if it is not JSON, or nested too deep. `depth`: how many objects and arrays are open
 * around it.
 */
export function skipValue(at: i32, depth: i32): i32 {
  switch (load<u8>(at)) {
    case QUOTE:
      return skipString(at + 1);
    case OPEN_OBJECT:
      return depth === MAX_DEPTH ? LEFT : skipObject(at, depth + 1);
    case OPEN_ARRAY:
      return depth === MAX_DEPTH ? LEFT : skipArray(at, depth + 1);
    case 0x6e:
      return isNull(at) ? at + 4 : LEFT;
    case 0x74:
      return isTrue(at) ? at + 4 : LEFT;
    case 0x66:
      return isFalse(at) ? at + 5 : LEFT;
    default:
      return skipNumber(at);
  }
}

function skipObject(at: i32, depth: i32): i32 {
  let i = skipSpace(at + 1);
  if (load<u8>(i) === CLOSE_OBJECT) return i + 1;
  while (true) {
    if (load<u8>(i) !== QUOTE) return LEFT;
    i = skipString(i + 1);
    if (i === LEFT) return LEFT;
    i = skipSpace(i);
    if (load<u8>(i) !== COLON) return LEFT;
    i = skipValue(skipSpace(i + 1), depth);
    if (i === LEFT) return LEFT;
    i = skipSpace(i);
    if (load<u8>(i) !== COMMA) return load<u8>(i) === CLOSE_OBJECT ? i + 1 : LEFT;
    i = skipSpace(i + 1);
  }
}

function skipArray(at: i32, depth: i32): i32 {
  let i = skipSpace(at + 1);
  if (load<u8>(i) === CLOSE_ARRAY) return i + 1;
  while (true) {
    i = skipValue(i, depth);
    if (i === LEFT) return LEFT;
    i = skipSpace(i);
    if (load<u8>(i) !== COMMA) return load<u8>(i) === CLOSE_ARRAY ? i + 1 : LEFT;
    i = skipSpace(i + 1);
  }
}

/** `at`: behind the opening quote. Returns the position behind the closing one. Any characters are allowed, as in JSON. */
export function skipString(at: i32): i32 {
  let i = findStop(at);
  while (load<u8>(i) === BACKSLASH) {
    const length = escapeLength(i + 1);
    if (length === 0) return LEFT;
    i = findStop(i + length);
  }
  return load<u8>(i) === QUOTE ? i + 1 : LEFT;
}

/** The length of the escape with this character after its backslash. 0 if there is no such escape. */
function escapeLength(at: i32): i32 {
  switch (load<u8>(at)) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return 2;
    case 0x75:
      return fourHexDigits(at + 1) < 0 ? 0 : 6;
    default:
      return 0;
  }
}
