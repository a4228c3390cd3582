/** Byte strings that are compared and copied sixteen bytes at a time. */

/** Bytes of a vector. Reads and writes of vectors may touch so many bytes too many, less one. */
export const VECTOR: i32 = 16;

/**
 * Whether the bytes at `at` are those at `pattern`, of which only those count that have their bits set behind
 * them, at `pattern + size`. `size` is a multiple of VECTOR.
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

/** Copies whole vectors, so up to 15 bytes more than asked; returns the position behind what was asked. */
export function copy(from: i32, length: i32, to: i32): i32 {
  for (let i: i32 = 0; i < length; i += VECTOR) v128.store(to + i, v128.load(from + i));
  return to + length;
}
