/**
 * Sets of bytes below 0x80. One vector operation tests sixteen bytes at once. A byte is in the set if the row of its
 * lower half has the bit of its upper half. Bytes from 0x80 on are in no set.
 */
import { VECTOR } from '../../src/platform/kernel-layout.ts';

/** A set is sixteen rows, then the bit of each upper half. */
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

/** Returns a bit for each of the sixteen bytes from `at` on, lowest bit first. A bit is set if its byte is in the set. */
export function membersOf(at: i32, set: i32): i32 {
  const bytes = v128.load(at);
  const rows = i8x16.swizzle(v128.load(set), v128.and(bytes, i8x16.splat(15)));
  const bits = i8x16.swizzle(v128.load(set + VECTOR), i8x16.shr_u(bytes, 4));
  return 0xffff ^ i8x16.bitmask(i8x16.eq(v128.and(rows, bits), i8x16.splat(0)));
}
