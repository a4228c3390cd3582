/** Finds the end of a text in XML. Escaped text has no `<`. */
import { GREATER_THAN, LESS_THAN, LETTER_U } from './ascii.ts';

/** The length of `</loc>`, and of `</url>`. */
export const CLOSE_BYTES: i32 = 6;
/** `/url`, read as a little-endian number. */
const CLOSE_URL: u32 = 0x6c72752f;

/** The next `<`, or `to`. */
export function findTag(from: i32, to: i32): i32 {
  const wanted = i8x16.splat(LESS_THAN);
  for (let at = from; at < to; at += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(at), wanted));
    if (found !== 0) return min(to, at + ctz(found));
  }
  return to;
}

/** The next `</url>`, or `to`. */
export function findEnd(from: i32, to: i32): i32 {
  const less = i8x16.splat(LESS_THAN);
  const letter = i8x16.splat(LETTER_U);
  for (let at = from; at < to; at += 16) {
    // The third letter tells the tag that ends an entry from nearly all others.
    const equal = v128.and(i8x16.eq(v128.load(at), less), i8x16.eq(v128.load(at, 2), letter));
    for (let found = i8x16.bitmask(equal); found !== 0; found &= found - 1) {
      const end = at + ctz(found);
      if (end + CLOSE_BYTES > to) return to;
      if (load<u32>(end, 1) === CLOSE_URL && load<u8>(end, 5) === GREATER_THAN) return end;
    }
  }
  return to;
}
