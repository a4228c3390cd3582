/** A seeded hash of 64 bits, in the manner of XXH64, with two lanes. The seed is a secret. */
const P1: u64 = ((<u64>0x9e3779b1) << 32) | 0x85ebca87;
const P2: u64 = ((<u64>0xc2b2ae3d) << 32) | 0x27d4eb4f;
const P3: u64 = ((<u64>0x165667b1) << 32) | 0x9e3779f9;

/** May read up to 7 bytes behind `to`. */
export function hash(from: i32, to: i32, seed: u64): u64 {
  let a = seed ^ P1;
  let b = rotl<u64>(seed, 32) ^ P3;
  let at = from;
  for (; at + 16 <= to; at += 16) {
    a = step(a, load<u64>(at));
    b = step(b, load<u64>(at, 8));
  }
  if (at + 8 <= to) {
    a = step(a, load<u64>(at));
    at += 8;
  }
  const left = <u64>(to - at);
  if (left !== 0) b = step(b, load<u64>(at) & (((<u64>1) << (left * 8)) - 1));
  return mix(a ^ rotl<u64>(b, 29) ^ (<u64>(to - from) * P3));
}

function step(lane: u64, word: u64): u64 {
  return rotl<u64>(lane ^ (rotl<u64>(word * P2, 31) * P1), 27) * P1 + P3;
}

export function mix(value: u64): u64 {
  let h = value;
  h = (h ^ (h >> 33)) * P2;
  h = (h ^ (h >> 29)) * P3;
  return h ^ (h >> 32);
}
