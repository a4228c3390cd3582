/** Writes bits, the lowest first, as deflate packs them (RFC 1951, section 3.1.1). */

let at: i32 = 0;
let bits: u64 = 0;
let count: i32 = 0;

export function setOutput(to: i32): void {
  at = to;
  bits = 0;
  count = 0;
}

/** Writes the lowest `length` bits of `value`, at most 56. All other bits of `value` must be 0. */
export function writeBits(value: u64, length: i32): void {
  bits |= value << count;
  count += length;
  store<u64>(at, bits);
  const whole = count >> 3;
  at += whole;
  bits >>= whole << 3;
  count &= 7;
}

/** Ends with an empty stored block, at a byte boundary. Returns the position after it. */
export function alignWithStoredBlock(): i32 {
  // Three bits say: a stored block, not the last. Zeros fill the byte.
  writeBits(0, 3);
  writeBits(0, (8 - count) & 7);
  // The block's length follows, with its complement.
  writeBits(0xffff0000, 32);
  return at;
}
