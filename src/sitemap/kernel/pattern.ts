/** Compares and copies byte strings sixteen bytes at a time. */

/** Bytes of a vector. Vector reads and writes may touch up to VECTOR - 1 bytes too many. */
export const VECTOR: i32 = 16;

/**
 * Whether the bytes at `at` equal those at `pattern`. The mask at `pattern + size` says which bytes count. `size` is
 * a multiple of VECTOR.
 */
export function matches(at: i32, pattern: i32, size: i32): bool {
  for (let i: i32 = 0; i < size; i += VECTOR) {
    const counted = v128.and(v128.load(at + i), v128.load(pattern + size + i));
    if (!i8x16.all_true(i8x16.eq(counted, v128.load(pattern + i)))) return false;
  }
  return true;
}

export function setPattern(pattern: i32, size: i32, from: i32, length: i32): void {
  memory.fill(pattern, 0, 2 * size);
  memory.copy(pattern, from, length);
  memory.fill(pattern + size, 0xff, length);
}

/** Copies whole vectors, so up to 15 bytes more than `length`. Returns the position after `length` bytes. */
export function copy(from: i32, length: i32, to: i32): i32 {
  for (let i: i32 = 0; i < length; i += VECTOR) v128.store(to + i, v128.load(from + i));
  return to + length;
}
