/**
 * The sum of a seeded hash of each entry's XML, modulo 2^64. The order of entries does not change a sum, and repetitions do. The hash multiplies halves
 * of words by position, in the manner of NH (RFC 4418, section 5.2). Outsiders do not know the seed, so they cannot make two lists
 * with one sum.
 */

let seed: u64 = 0;
/** The sum over all entries written since the host set it to 0. */
export let digest: u64 = 0;

const P1: u64 = ((<u64>0x9e3779b1) << 32) | 0x85ebca87;
const P2: u64 = ((<u64>0xc2b2ae3d) << 32) | 0x27d4eb4f;
const P3: u64 = ((<u64>0x165667b1) << 32) | 0x9e3779f9;

/** The host calls it before the first entry. */
export function setSeed(value: u64): void {
  seed = value;
}

/** Adds the entry from `from` to `to`, which has at least 16 bytes. */
export function addToDigest(from: i32, to: i32): void {
  let key = i64x2.add(i64x2.splat(<i64>(seed * P2)), i64x2(<i64>P1, <i64>P3));
  let sums = key;
  for (let at = from; at + 16 < to; at += 16) {
    sums = step(sums, v128.load(at), key);
    key = i64x2.add(key, i64x2(<i64>P3, <i64>P2));
  }
  // The last vector may overlap the one before it. The length tells the two cases apart.
  sums = step(sums, v128.load(to - 16), key);
  const first = mix(<u64>i64x2.extract_lane(sums, 0) + <u64>(to - from) * P3);
  digest += mix(first ^ rotl<u64>(<u64>i64x2.extract_lane(sums, 1), 29));
}

function step(sums: v128, data: v128, key: v128): v128 {
  const word = v128.xor(data, key);
  // Even halves beside odd halves: each product is of the two halves of one word.
  const even = i8x16.shuffle(word, word, 0, 1, 2, 3, 8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11);
  const odd = i8x16.shuffle(word, word, 4, 5, 6, 7, 12, 13, 14, 15, 4, 5, 6, 7, 12, 13, 14, 15);
  const products = i64x2.extmul_low_i32x4_u(even, odd);
  // A half of zeros would hide the other half from the product. So the data are added too, crosswise.
  const crosswise = i8x16.shuffle(data, data, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  return i64x2.add(sums, i64x2.add(products, crosswise));
}

function mix(value: u64): u64 {
  let h = value;
  h = (h ^ (h >> 33)) * P2;
  h = (h ^ (h >> 29)) * P3;
  return h ^ (h >> 32);
}
