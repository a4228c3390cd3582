/** Finds the end of a text in XML. Escaped text has no `<`. */
import { LESS_THAN } from './ascii.ts';

/** The next `<`, or `to`. */
export function findTag(from: i32, to: i32): i32 {
  const wanted = i8x16.splat(LESS_THAN);
  for (let at = from; at < to; at += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(at), wanted));
    if (found !== 0) return min(to, at + ctz(found));
  }
  return to;
}
