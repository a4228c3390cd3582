/**
 * Computes the hashes of each entry's XML, and their sum modulo 2^64. The order of entries does not change the sum, but repetitions do.
 * Outsiders do not know the seed, so they cannot make two lists with the same sum.
 */
import { HASHES_BYTES, MAX_TAKEN_ENTRIES } from '../../src/core/sitemap/kernel-layout.ts';
import { keptRest, locHash, restHash } from '../entry-hash.ts';
import { findEnd, findTag } from '../find-tag.ts';
import { mix } from '../hash.ts';
import { endOfOrigin, hasOrigin } from '../origin.ts';

/** HASHES_BYTES for each entry. */
export const hashes: i32 = memory.data(HASHES_BYTES * MAX_TAKEN_ENTRIES, 16);
/** The number of entries since the host called `clearHashes`. */
export let hashed: i32 = 0;
/** The sum over these entries. */
export let digest: u64 = 0;
/**
 * The position of the origin of the first of these entries. `originBytes` is its length, or 0 if another entry has another origin, or a
 * text was no entry.
 */
export let origin: i32 = 0;
export let originBytes: i32 = 0;

let seed: u64 = 0;

/** The lengths of `<url><loc>`, of `</loc>`, and of `</url>` with its line feed. */
const OPEN_BYTES: i32 = 10;
const CLOSE_LOC_BYTES: i32 = 6;
const CLOSE_BYTES: i32 = 7;

/** The host calls this before the first entry. */
export function setSeed(value: u64): void {
  seed = value;
}

/** Forgets all entries. */
export function clearHashes(): void {
  hashed = origin = originBytes = 0;
  digest = 0;
}

/**
 * Takes the entry whose XML is from `from` to `to`. It stores the hashes of MAX_TAKEN_ENTRIES at most. Text that is no entry is only
 * counted.
 */
export function hashEntry(from: i32, to: i32): void {
  const loc = from + OPEN_BYTES;
  const end = to - CLOSE_BYTES;
  const locEnd = findTag(loc, end);
  if (locEnd <= loc || locEnd + CLOSE_LOC_BYTES > end) {
    hashed++;
    originBytes = 0;
    return;
  }
  const ofLoc = locHash(loc, locEnd, seed);
  const ofRest = restHash(locEnd + CLOSE_LOC_BYTES, end, seed);
  if (hashed < MAX_TAKEN_ENTRIES) {
    const at = hashes + hashed * HASHES_BYTES;
    store<u64>(at, ofLoc);
    store<u32>(at, keptRest(ofRest), 8);
  }
  digest += mix(ofLoc ^ rotl<u64>(ofRest, 32));
  if (hashed === 0) {
    origin = loc;
    originBytes = endOfOrigin(loc, locEnd) - loc;
  } else if (originBytes !== 0 && !hasOrigin(loc, locEnd, origin, originBytes)) originBytes = 0;
  hashed++;
}

/** Hashes each entry from `from` to `to`, as `hashEntry` does. */
export function hashEntries(from: i32, to: i32): void {
  for (let at = from; at < to; ) {
    const end = min(to, findEnd(at, to) + CLOSE_BYTES);
    hashEntry(at, end);
    at = end;
  }
}
