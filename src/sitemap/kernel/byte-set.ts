/**
 * Sets of bytes below 0x80, of which a vector says for sixteen bytes at once whether they are in: a byte is, when the
 * bit of its upper half is set in the row of its lower half. Other bytes are in no set.
 */
import { VECTOR } from './pattern.ts';

/** A set is these rows, and behind them the bit of each upper half. */
export const BYTE_SET_SIZE: i32 = 32;

export function setBytes(set: i32, members: string): void {
  memory.fill(set, 0, BYTE_SET_SIZE);
  for (let high = 0; high < 8; high++) store<u8>(set + VECTOR + high, <u8>(1 << (<u8>high)));
  for (let i = 0; i < members.length; i++) {
    const byte = members.charCodeAt(i);
    const row = set + (byte & 15);
    store<u8>(row, load<u8>(row) | ((<u8>1) << (<u8>(byte >> 4))));
  }
}

/** For each of the sixteen bytes from `at` on a bit, the first the lowest: set when the byte is in. */
export function membersOf(at: i32, set: i32): i32 {
  const bytes = v128.load(at);
  const rows = i8x16.swizzle(v128.load(set), v128.and(bytes, i8x16.splat(15)));
  const bits = i8x16.swizzle(v128.load(set + VECTOR), i8x16.shr_u(bytes, 4));
  return 0xffff ^ i8x16.bitmask(i8x16.eq(v128.and(rows, bits), i8x16.splat(0)));
}
