/** Judges texts in UTF-8 by their length and their characters, and copies texts and URLs into XML. */
import { VECTOR } from '../../src/platform/kernel-layout.ts';
import { firstBytes } from '../vectors.ts';
import { membersOf, setBytes } from './byte-set.ts';
import { appendText, text } from './fixed-texts.ts';

/**
 * Whether the text has at least `min` bytes, at most `max` code points, and neither U+FFFE nor U+FFFF. The other characters that XML
 * forbids cannot be here: JSON forbids raw control characters, and the batch is valid UTF-8, without surrogates.
 */
export function isText(from: i32, end: i32, min: f64, max: f64): bool {
  const bytes = <f64>(end - from);
  if (bytes < min || (bytes > max && <f64>codePoints(from, end) > max)) return false;
  for (let i = from; i < end; i += VECTOR) {
    const maybeForbidden = i8x16.eq(v128.load(i), i8x16.splat(<i8>0xef));
    if (v128.any_true(maybeForbidden) && hasForbidden(i, end)) return false;
  }
  return true;
}

/** U+FFFE and U+FFFF are EF BF BE and EF BF BF. */
function hasForbidden(at: i32, end: i32): bool {
  const second = i8x16.eq(v128.load(at + 1), i8x16.splat(<i8>0xbf));
  const third = i8x16.ge_u(v128.load(at + 2), i8x16.splat(<i8>0xbe));
  const first = i8x16.eq(v128.load(at), i8x16.splat(<i8>0xef));
  const found = v128.and(v128.and(first, second), third);
  return v128.any_true(v128.and(found, firstBytes(min<i32>(end - at, VECTOR))));
}

/** Counts the bytes that begin a character. These are all but 80 to BF, the least bytes as signed numbers. */
function codePoints(from: i32, end: i32): i32 {
  let count = 0;
  for (let i = from; i < end; i += VECTOR) {
    const begins = i8x16.ge_s(v128.load(i), i8x16.splat(<i8>0xc0));
    count += popcnt(i8x16.bitmask(v128.and(begins, firstBytes(min<i32>(end - i, VECTOR)))));
  }
  return count;
}

/** The characters that XML needs as references. A parser turns a literal CR into LF (XML 1.0, 2.11). */
const SPECIAL = memory.data(32, 16);
setBytes(SPECIAL, '&<>"\'\r');

/** The longest reference. */
export const MAX_REFERENCE_LENGTH: i32 = 6;

/** Copies a text or URL, escaped for XML. Returns the position after it. */
export function copyEscaped(from: i32, end: i32, to: i32): i32 {
  let i = from;
  let o = to;
  while (i < end) {
    v128.store(o, v128.load(i));
    const ordinary = min<i32>(ctz(membersOf(i, SPECIAL) | (1 << VECTOR)), end - i);
    i += ordinary;
    o += ordinary;
    if (ordinary === VECTOR || i >= end) continue;
    o = appendText(referenceOf(load<u8>(i++)), o);
  }
  return o;
}

const AMP = text('&amp;');
const LT = text('&lt;');
const GT = text('&gt;');
const QUOT = text('&quot;');
const APOS = text('&apos;');
const CR = text('&#13;');

function referenceOf(byte: u8): i32 {
  switch (byte) {
    case 0x26:
      return AMP;
    case 0x3c:
      return LT;
    case 0x3e:
      return GT;
    case 0x22:
      return QUOT;
    case 0x27:
      return APOS;
    default:
      return CR;
  }
}
