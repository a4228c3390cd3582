/**
 * Looks at 64 bytes at once: one bit for each byte of a block, the lowest bit for the first byte. It is AssemblyScript, compiled into the
 * kernels that find elements and lines.
 */
import { VECTOR } from '../../src/platform/kernel-layout.ts';

/** Marks the bytes of the block that equal `byte`. */
export function equalBytes(a: v128, b: v128, c: v128, d: v128, byte: u8): u64 {
  const wanted = i8x16.splat(byte);
  return joined(i8x16.eq(a, wanted), i8x16.eq(b, wanted), i8x16.eq(c, wanted), i8x16.eq(d, wanted));
}

/** Collects the highest bit of each byte. */
export function joined(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = <u64>i8x16.bitmask(a) | ((<u64>i8x16.bitmask(b)) << VECTOR);
  const high = <u64>i8x16.bitmask(c) | ((<u64>i8x16.bitmask(d)) << VECTOR);
  return low | (high << 32);
}

/** Sets a bit of the result if an odd number of the given bits are set, from the lowest bit up to this one. */
export function prefixXor(bits: u64): u64 {
  let result = bits;
  result ^= result << 1;
  result ^= result << 2;
  result ^= result << 4;
  result ^= result << 8;
  result ^= result << 16;
  result ^= result << 32;
  return result;
}

/** Every second bit, from the second on. */
const ODD_BITS: u64 = ((<u64>0xaaaaaaaa) << 32) | 0xaaaaaaaa;

/**
 * Marks the bytes that a backslash escapes: of a run of backslashes every second one, and the byte behind an odd run, as in
 * simdjson. `before` is 1 if the last byte before the block escapes the first one.
 */
export function escapedBytes(backslashes: u64, before: u64): u64 {
  const begins = backslashes & ~before;
  const codes = (((begins << 1) | ODD_BITS) - begins) ^ ODD_BITS;
  return codes ^ (backslashes | before);
}
