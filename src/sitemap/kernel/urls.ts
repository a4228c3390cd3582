/**
 * URLs as bytes of JSON: finds those that need no change (see ORDINARY_URL in ../url.ts). ../url.ts checks each host
 * once: an upload has few hosts.
 */
import { membersOf, setBytes } from './byte-set.ts';
import { isOrdinaryOrigin, MAX_URL_LENGTH, MIN_LOC_LENGTH } from './host.ts';
import { NOT_PLAIN } from './not-plain.ts';
import { matches, setPattern, VECTOR } from './pattern.ts';

const QUOTE: u8 = 0x22;
const HASH: u8 = 0x23;
const PERCENT: u8 = 0x25;
const SLASH: u8 = 0x2f;

/** Bytes that need no check after the host. Non-ASCII, blanks, backslashes and the like are not plain. */
const PLAIN = memory.data(32, 16);
setBytes(PLAIN, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~!$&'()*+,;=:@/?");

/** The position of the quote that ends the URL at `at`. */
export function findUrlEnd(at: i32): i32 {
  let i = endOfOrigin(at);
  if (i === NOT_PLAIN) return NOT_PLAIN;
  let hasFragment = false;
  while (true) {
    const others = 0xffff ^ membersOf(i, PLAIN);
    if (others === 0) {
      i += VECTOR;
      continue;
    }
    i += ctz(others);
    const other = load<u8>(i);
    if (other === PERCENT) {
      if (!isHexDigit(load<u8>(i + 1)) || !isHexDigit(load<u8>(i + 2))) return NOT_PLAIN;
      i += 3;
    } else if (other === HASH && !hasFragment) {
      hasFragment = true;
      i++;
    } else {
      const length = <i32>(i - at);
      return other === QUOTE && length >= MIN_LOC_LENGTH && length <= MAX_URL_LENGTH ? i : NOT_PLAIN;
    }
  }
}

function isHexDigit(byte: u8): bool {
  return <u8>(byte - 0x30) < 10 || <u8>((byte | 0x20) - 0x61) < 6;
}

/** The longest origin (scheme, host and port) that we remember. */
const MAX_ORIGIN_LENGTH: i32 = 255;
/** A site has one for its pages, one for its images, one for its videos. More would only cost comparisons. */
const ORIGINS = 4;
const PATTERN_SIZE: i32 = 256;
/** Each slot: the length of an origin (0 while the slot is free), then its pattern. */
const ORIGIN_SIZE: i32 = VECTOR + 2 * PATTERN_SIZE;
const KNOWN = memory.data(4 * 528, 16);
let newest = 0;

/** The position of the slash after the origin. */
function endOfOrigin(at: i32): i32 {
  for (let k = 0; k < ORIGINS; k++) {
    const known = KNOWN + ((newest + k) & (ORIGINS - 1)) * ORIGIN_SIZE;
    const length = load<i32>(known);
    if (length === 0) break;
    if (load<u8>(at + length) !== SLASH) continue;
    const size = (length + VECTOR - 1) & ~(VECTOR - 1);
    if (matches(at, known + VECTOR, size)) return at + length;
  }
  return learnOrigin(at);
}

function learnOrigin(at: i32): i32 {
  // Skip "https://" or "http://". A slash among these bytes would end the origin too early to be ordinary.
  let end = at + 8;
  while (end - at < MAX_ORIGIN_LENGTH && load<u8>(end) !== SLASH && load<u8>(end) !== QUOTE) end++;
  if (load<u8>(end) !== SLASH || !isOrdinaryOrigin(at, end)) return NOT_PLAIN;
  newest = (newest - 1) & (ORIGINS - 1);
  const known = KNOWN + newest * ORIGIN_SIZE;
  const length = end - at;
  store<i32>(known, length);
  setPattern(known + VECTOR, (length + VECTOR - 1) & ~(VECTOR - 1), at, length);
  return end;
}
