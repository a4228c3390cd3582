/** Texts as bytes of JSON: finds those that need only escaping, and copies them into XML. */
import { append, ascii } from './ascii.ts';
import { membersOf, setBytes } from './byte-set.ts';
import { MAX_TEXT_LENGTH } from './host.ts';
import { NOT_PLAIN } from './not-plain.ts';
import { VECTOR } from './pattern.ts';

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;
const SLASH: u8 = 0x2f;
/** First byte of U+F000 to U+FFFF. XML forbids the last two. */
const MAYBE_FORBIDDEN: u8 = 0xef;

/**
 * The position of the quote that ends the text at `at`. The input is valid UTF-8, so it has no lone surrogates.
 */
export function findTextEnd(at: i32): i32 {
  let i = at;
  while (true) {
    const bytes = v128.load(i);
    const quotes = i8x16.eq(bytes, i8x16.splat(QUOTE));
    const backslashes = i8x16.eq(bytes, i8x16.splat(BACKSLASH));
    const controls = i8x16.lt_u(bytes, i8x16.splat(0x20));
    const doubtful = i8x16.eq(bytes, i8x16.splat(<i8>MAYBE_FORBIDDEN));
    const stops = i8x16.bitmask(v128.or(v128.or(quotes, backslashes), v128.or(controls, doubtful)));
    if (stops === 0) {
      i += VECTOR;
      continue;
    }
    i += ctz(stops);
    const stop = load<u8>(i);
    if (stop === BACKSLASH) {
      const escaped = load<u8>(i + 1);
      if (escaped !== QUOTE && escaped !== BACKSLASH && escaped !== SLASH) return NOT_PLAIN;
      i += 2;
    } else if (stop === MAYBE_FORBIDDEN) {
      if (load<u8>(i + 1) === 0xbf && load<u8>(i + 2) >= 0xbe) return NOT_PLAIN;
      i++;
    } else {
      // A text never has more characters than bytes.
      return stop === QUOTE && i - at <= <i32>MAX_TEXT_LENGTH ? i : NOT_PLAIN;
    }
  }
}

/** Bytes that change on the way from JSON to XML. */
const SPECIAL = memory.data(32, 16);
setBytes(SPECIAL, '&<>"\'\\');

/** Copies a plain text or URL, escaped for XML. Returns the position after it. */
export function copyEscaped(from: i32, to: i32, out: i32): i32 {
  let i = from;
  let o = out;
  while (i < to) {
    v128.store(o, v128.load(i));
    const specials = membersOf(i, SPECIAL);
    const ordinary = min<i32>(ctz(specials | (1 << VECTOR)), to - i);
    i += ordinary;
    o += ordinary;
    if (ordinary === VECTOR || i >= to) continue;
    let byte = load<u8>(i++);
    if (byte === BACKSLASH) byte = load<u8>(i++);
    o = writeReference(byte, o);
  }
  return o;
}

const AMP = ascii('&amp;');
const LT = ascii('&lt;');
const GT = ascii('&gt;');
const QUOT = ascii('&quot;');
const APOS = ascii('&apos;');

function writeReference(byte: u8, o: i32): i32 {
  switch (byte) {
    case 0x26:
      return append(AMP, o);
    case 0x3c:
      return append(LT, o);
    case 0x3e:
      return append(GT, o);
    case QUOTE:
      return append(QUOT, o);
    case 0x27:
      return append(APOS, o);
    default:
      store<u8>(o, byte);
      return o + 1;
  }
}
