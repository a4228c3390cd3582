/** URLs: finds those that need no change, and rewrites others as src/core/sitemap/url.ts does. */
import { VECTOR } from '../../src/platform/kernel-layout.ts';
import {
  AMPERSAND,
  APOSTROPHE,
  BACKSLASH,
  DELETE,
  NUMBER_SIGN,
  PERCENT,
  QUOTE,
  SLASH,
  SPACE,
} from '../ascii.ts';
import { copy } from '../vectors.ts';
import { membersOf, setBytes } from './byte-set.ts';
import { joinBase, MAX_BASE_URL_LENGTH, MAX_URL_LENGTH, MIN_LOC_LENGTH } from './host.ts';
import { findOrigin, originHasReferences, writtenBytes, writtenLength } from './origins.ts';
import {
  hexValue,
  keepScratch,
  LEFT,
  markReferences,
  readString,
  scratchFor,
  setValue,
  valueEnd,
  valueStart,
} from './strings.ts';

/** The bytes that an escaped byte takes: `%XX`. */
const ESCAPE_LENGTH: i32 = 3;

/** The characters that RFC 3986 allows behind the origin, without `%`, `#` and those that XML needs as references. */
const PLAIN = memory.data(32, 16);
setBytes(PLAIN, 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~!$()*+,;=:@/?');

/** `%XX` for each byte, in a u32. */
const ESCAPES = memory.data(256 * 4, 16);
for (let byte = 0; byte < 256; byte++) {
  store<u8>(ESCAPES + byte * 4, PERCENT);
  store<u8>(ESCAPES + byte * 4, <u8>'0123456789ABCDEF'.charCodeAt(byte >> 4), 1);
  store<u8>(ESCAPES + byte * 4, <u8>'0123456789ABCDEF'.charCodeAt(byte & 15), 2);
}

/** Reads the URL whose first byte after the quote is at `at`, as `value`. Returns the position after its quote. */
export function readUrl(at: i32, minLength: f64): i32 {
  // Nearly all URLs need no change, so this looks at their bytes only once.
  const rest = hasEscapedSlash(at) ? LEFT : findOrigin(at);
  if (rest !== LEFT && writtenLength() === 0) {
    const end = plainEnd(rest);
    if (load<u8>(end) === QUOTE && end - at >= MIN_LOC_LENGTH) {
      setValue(at, end);
      if (plainHasReferences) markReferences();
      return end - at <= MAX_URL_LENGTH ? end + 1 : LEFT;
    }
  }
  const after = readString(at);
  if (after === LEFT || (hasBase && !addBase()) || !normalise(valueStart, valueEnd)) return LEFT;
  const length = valueEnd - valueStart;
  return length <= MAX_URL_LENGTH && <f64>length >= minLength ? after : LEFT;
}

let hasBase: bool = false;

/** Sets whether a base may stand before URLs. */
export function setBase(has: bool): void {
  hasBase = has;
}

/** Puts the base before the URL in `value`, if it needs one. Returns false if there is no room. */
function addBase(): bool {
  const to = scratchFor(valueEnd - valueStart + MAX_BASE_URL_LENGTH + 1);
  if (to === LEFT) return false;
  const length = joinBase(valueStart, valueEnd, to);
  if (length === 0) return true;
  const end = to + length;
  store<u8>(end, QUOTE);
  setValue(to, end);
  keepScratch(end + 1);
  return true;
}

/** Returns whether a slash of `https://` or `http://` is escaped, as in `https:\/`. Then the string must be decoded anyway. */
function hasEscapedSlash(at: i32): bool {
  return load<u8>(at + 5) === BACKSLASH || load<u8>(at + 6) === BACKSLASH;
}

/** Whether the URL that plainEnd saw has `&` or `'`. */
let plainHasReferences: bool = false;

/**
 * `at`: the position after the origin. Returns the position of the first byte that is not as we write it: the quote after the URL, or a
 * byte to rewrite.
 */
function plainEnd(at: i32): i32 {
  let i = at;
  let hasFragment = false;
  plainHasReferences = originHasReferences();
  while (true) {
    const others = 0xffff ^ membersOf(i, PLAIN);
    if (others === 0) {
      i += VECTOR;
      continue;
    }
    i += ctz(others);
    const other = load<u8>(i);
    if (other === AMPERSAND || other === APOSTROPHE) {
      plainHasReferences = true;
      i++;
    } else if (other === PERCENT && isEscape(i)) i += ESCAPE_LENGTH;
    else if (other === NUMBER_SIGN && !hasFragment) {
      hasFragment = true;
      i++;
    } else return i;
  }
}

function isEscape(at: i32): bool {
  return (hexValue(at + 1) | hexValue(at + 2)) >= 0;
}

/** Makes `value` the URL as we write it. Returns false if the host must judge the URL. A quote follows the URL at `end`. */
function normalise(from: i32, end: i32): bool {
  const rest = findOrigin(from);
  // A quote may end the origin before the URL ends. Then it is part of the host.
  if (rest === LEFT || rest > end || (rest < end && load<u8>(rest) === QUOTE)) return false;
  if (writtenLength() === 0 && end - from >= MIN_LOC_LENGTH && plainEnd(rest) === end) {
    if (plainHasReferences) markReferences();
    return true;
  }
  // The written host may be shorter than the given one, but the limit also holds for the given URL.
  if (writtenLength() !== 0 && end - from > MAX_URL_LENGTH) return false;
  const to = scratchFor(max<i32>(writtenLength(), rest - from) + 1 + ESCAPE_LENGTH * (end - rest));
  // Refuse white space at the end, even if the URL ends with its host: some white space vanishes from a host.
  if (to === LEFT || endsInSpace(end)) return false;
  const origin =
    writtenLength() === 0 ? copy(from, rest - from, to) : copy(writtenBytes(), writtenLength(), to);
  let after = encode(rest, end, origin);
  if (after === LEFT) return false;
  if (after - to < MIN_LOC_LENGTH && (rest === end || load<u8>(rest) !== SLASH)) {
    // A slash between origin and rest makes a short URL long enough.
    store<u8>(origin, SLASH);
    after = encode(rest, end, origin + 1);
  }
  setValue(to, after);
  markReferences();
  keepScratch(after);
  return true;
}

/** Percent-encodes characters that RFC 3986 does not allow. Returns the position after the result; LEFT for characters that we refuse. */
function encode(from: i32, end: i32, to: i32): i32 {
  let i = from;
  let o = to;
  let hasFragment = false;
  while (i < end) {
    v128.store(o, v128.load(i));
    const plain = min<i32>(ctz((0xffff ^ membersOf(i, PLAIN)) | (1 << VECTOR)), end - i);
    i += plain;
    o += plain;
    if (plain === VECTOR || i >= end) continue;
    const byte = load<u8>(i);
    const isKept = byte === AMPERSAND || byte === APOSTROPHE || (byte === PERCENT && isEscape(i));
    if (isKept || (byte === NUMBER_SIGN && !hasFragment)) {
      if (byte === NUMBER_SIGN) hasFragment = true;
      store<u8>(o++, byte);
      i++;
      continue;
    }
    if (byte < SPACE || byte === DELETE) return LEFT;
    if (byte < 0x80) {
      o = escapeByte(i++, o);
      continue;
    }
    do {
      if (isRefused(i)) return LEFT;
      o = escapeByte(i++, o);
    } while (load<i8>(i) < 0 && i < end);
  }
  return o;
}

function escapeByte(at: i32, to: i32): i32 {
  store<u32>(to, load<u32>(ESCAPES + load<u8>(at) * 4));
  return to + ESCAPE_LENGTH;
}

/** Whether a character begins here that no URL may have: U+0080 to U+009F, U+FFFE, U+FFFF. */
function isRefused(at: i32): bool {
  const byte = load<u8>(at);
  if (byte === 0xc2) return load<u8>(at + 1) < 0xa0;
  return byte === 0xef && load<u8>(at + 1) === 0xbf && load<u8>(at + 2) >= 0xbe;
}

/** Returns whether JavaScript's `trim` removes the last character before `end`. */
function endsInSpace(end: i32): bool {
  if (load<u8>(end - 1) === SPACE) return true;
  // U+00A0
  if (load<u8>(end - 1) === 0xa0 && load<u8>(end - 2) === 0xc2) return true;
  const third = ((<i32>load<u8>(end - 3)) << 16) | ((<i32>load<u8>(end - 2)) << 8) | <i32>load<u8>(end - 1);
  // U+2000 to U+200A
  if (third >= 0xe28080 && third <= 0xe2808a) return true;
  // U+1680, U+2028, U+2029, U+202F, U+205F, U+3000, U+FEFF
  return (
    third === 0xe19a80 ||
    third === 0xe280a8 ||
    third === 0xe280a9 ||
    third === 0xe280af ||
    third === 0xe2819f ||
    third === 0xe38080 ||
    third === 0xefbbbf
  );
}
