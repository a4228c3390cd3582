/** Finds the origin of a URL, as it is written: scheme, host and port. */
import { LETTER_S, NUMBER_SIGN, QUESTION_MARK, SLASH } from './ascii.ts';

/** The length of `http://`. The fifth letter, in either case, tells whether it is `https://`, which is one byte longer. */
const HTTP: i32 = 7;
const CASE_BIT: u8 = 0x20;

/** The end of the origin of the URL from `loc` to `end`. */
export function endOfOrigin(loc: i32, end: i32): i32 {
  let at = loc + HTTP + i32((load<u8>(loc, 4) | CASE_BIT) === LETTER_S);
  while (at < end && !endsOrigin(load<u8>(at))) at++;
  return min(at, end);
}

/** Whether the URL from `loc` to `end` has the origin that stands at `origin`, with this length. */
export function hasOrigin(loc: i32, end: i32, origin: i32, length: i32): bool {
  const originEnd = loc + length;
  if (originEnd > end || (originEnd < end && !endsOrigin(load<u8>(originEnd)))) return false;
  return memory.compare(loc, origin, length) === 0;
}

function endsOrigin(byte: u8): bool {
  return byte === SLASH || byte === QUESTION_MARK || byte === NUMBER_SIGN;
}
