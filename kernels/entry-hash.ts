/**
 * The two hashes of an entry: of its `loc`, and of the rest of its XML, `</loc>` and `</url>` not included. The hashes are stored. When
 * they change, FORM in src/features/sites/file-hashes.ts must change.
 */
import { hash } from './hash.ts';

export function locHash(loc: i32, locEnd: i32, seed: u64): u64 {
  return hash(loc, locEnd, seed);
}

export function restHash(rest: i32, end: i32, seed: u64): u64 {
  return hash(rest, end, ~seed);
}

/** The part of the hash of the rest that is kept: 31 bits. */
export function keptRest(rest: u64): u32 {
  return <u32>(rest >> 33);
}
