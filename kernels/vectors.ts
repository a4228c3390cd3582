/** Compares and copies byte strings sixteen bytes at a time. */
import { VECTOR } from '../src/platform/kernel-layout.ts';

/** Sixteen bytes of ones, then sixteen of zeros: the vector at `16 - n` marks the first n bytes. */
const MASKS = memory.data(32, 16);
memory.fill(MASKS, 0xff, VECTOR);

/** A vector with ones in its first `length` bytes. `length`: 0 to 16. */
export function firstBytes(length: i32): v128 {
  return v128.load(MASKS + VECTOR - length);
}

/** Whether the two byte strings are equal. */
export function equals(a: i32, b: i32, length: i32): bool {
  let i = 0;
  for (; i + VECTOR <= length; i += VECTOR) {
    if (!i8x16.all_true(i8x16.eq(v128.load(a + i), v128.load(b + i)))) return false;
  }
  const difference = v128.xor(v128.load(a + i), v128.load(b + i));
  return !v128.any_true(v128.and(difference, firstBytes(length - i)));
}

/** Copies whole vectors, so up to 16 bytes more than `length`. Returns the position after `length` bytes. */
export function copy(from: i32, length: i32, to: i32): i32 {
  // This function has no loop, so the compiler inlines it.
  v128.store(to, v128.load(from));
  if (length > VECTOR) copyRest(from, length, to);
  return to + length;
}

function copyRest(from: i32, length: i32, to: i32): void {
  for (let i = VECTOR; i < length; i += VECTOR) v128.store(to + i, v128.load(from + i));
}
