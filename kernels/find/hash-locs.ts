/**
 * Hashes the `loc` of each entry in the XML of a file that we wrote (src/core/sitemap/render-entry.ts). In escaped text there is no
 * `<`, so `<url><loc>` begins an entry, and nothing else. It is AssemblyScript, compiled by `npm run build:kernels`.
 */
import { MAX_HASHED, PADDING } from '../../src/features/find/kernel-layout.ts';
import { locHash } from '../entry-hash.ts';
import { findTag } from '../find-tag.ts';

/** `<url><lo` and `c>`, read as little-endian numbers. */
const OPEN_8: u64 = ((<u64>0x6f6c3c3e) << 32) | 0x6c72753c;
const OPEN_2: u16 = 0x3e63;
const OPEN_BYTES: i32 = 10;

/** The hashes of `hashLocs`, a u64 each. */
export const HASHES: i32 = (<i32>__heap_base + 15) & -16;
/** The place where the host puts the text. */
export const TEXT: i32 = HASHES + MAX_HASHED * 8 + PADDING;

/** The next byte to look at. */
export let position: i32 = 0;

/** The hash of the text from `from` to `to`: a `loc` as it stands in XML. */
export function hashLoc(from: i32, to: i32, seed: u64): u64 {
  return locHash(from, to, seed);
}

/** Hashes entries from `from` to `to`, MAX_HASHED at most, and returns their number. It stops before an entry whose `loc` has no end. */
export function hashLocs(from: i32, to: i32, seed: u64): i32 {
  let count = 0;
  let at = from;
  for (;;) {
    at = findTag(at, to);
    if (count === MAX_HASHED || to - at < OPEN_BYTES) break;
    if (load<u64>(at) !== OPEN_8 || load<u16>(at, 8) !== OPEN_2) {
      at++;
      continue;
    }
    const loc = at + OPEN_BYTES;
    const locEnd = findTag(loc, to);
    if (locEnd === to) break;
    store<u64>(HASHES + count * 8, locHash(loc, locEnd, seed));
    count++;
    at = locEnd;
  }
  position = at;
  return count;
}
