/**
 * Finds the entries in the XML of a file that we wrote (src/core/sitemap/render-entry.ts). In escaped text there is no `<`,
 * so the first `</url>` ends an entry. Anything else than our own form is malformed:
 *
 * ```
 * header  <url><loc>…</loc>…</url>\n  <url><loc>…</loc>…</url>\n  …  </urlset>\n
 * ```
 */
import { HASHES_BYTES } from '../../src/core/sitemap/kernel-layout.ts';
import { MALFORMED, MAX_RECORDS, RECORD_BYTES } from '../../src/features/entries/kernel-layout.ts';
import { GREATER_THAN, LINE_FEED } from '../ascii.ts';
import { keptRest, locHash, restHash } from '../entry-hash.ts';
import { CLOSE_BYTES, findEnd, findTag } from '../find-tag.ts';
import { countOrigin } from './origins.ts';
import { RECORDS } from './places.ts';
import { mayDiffer } from './sums.ts';

/** `<url><lo`, `c>`, `</urlset`, `>\n`, `/loc`, `/url`: read as little-endian numbers. */
const OPEN_8: u64 = ((<u64>0x6f6c3c3e) << 32) | 0x6c72753c;
const OPEN_2: u16 = 0x3e63;
const FOOTER_8: u64 = ((<u64>0x7465736c) << 32) | 0x72752f3c;
const FOOTER_2: u16 = 0x0a3e;
const CLOSE_LOC: u32 = 0x636f6c2f;
/** The length of `<url><loc>`, and of the footer. */
const OPEN_BYTES: i32 = 10;
/** The most bytes of a header. The longest header has fewer. */
const MAX_HEADER_BYTES: i32 = 4096;

/** The next byte to look at. */
export let position: i32 = 0;
/** The number of entries of the file that have been found. */
export let entries: i32 = 0;
/** Whether the footer has been found. No byte may follow it. */
export let hasEnded: bool = false;
let isInHeader: bool = true;
let headerBytes: i32 = 0;

let seed: u64 = 0;
/** The upper halves of the hashes whose entries become records, if their bucket differs. */
export let sliceFrom: u64 = 0;
export let sliceLength: u64 = 0;
let counts: bool = false;

/** Entries outside of the slice are only counted. `countsOrigins`: whether entries are also counted by origin. */
export function beginScan(seedOfHashes: u64, from: f64, length: f64, countsOrigins: bool): void {
  seed = seedOfHashes;
  sliceFrom = <u64>from;
  sliceLength = <u64>length;
  counts = countsOrigins;
}

/** Begins a file. */
export function beginFile(text: i32): void {
  position = text;
  entries = headerBytes = 0;
  isInHeader = true;
  hasEnded = false;
}

/** Begins a part of a file: its text has entries, without a header. */
export function beginPart(text: i32): void {
  beginFile(text);
  isInHeader = false;
}

/** Call this when the rest of the text has moved to `text`. */
export function moveText(text: i32): void {
  position = text;
}

/** Scans up to `to`, or until the records are full. Returns the number of records, or MALFORMED. */
export function scan(to: i32): i32 {
  if (isInHeader && !skipHeader(to)) return headerBytes > MAX_HEADER_BYTES ? MALFORMED : 0;
  let records = 0;
  while (records < MAX_RECORDS && to - position >= OPEN_BYTES) {
    const at = position;
    if (hasEnded) return MALFORMED;
    if (load<u64>(at) !== OPEN_8 || load<u16>(at, 8) !== OPEN_2) {
      if (load<u64>(at) !== FOOTER_8 || load<u16>(at, 8) !== FOOTER_2) return MALFORMED;
      hasEnded = true;
      position = at + OPEN_BYTES;
      continue;
    }
    const loc = at + OPEN_BYTES;
    const locEnd = findTag(loc, to);
    if (locEnd + CLOSE_BYTES > to) break;
    if (load<u32>(locEnd, 1) !== CLOSE_LOC || load<u8>(locEnd, 5) !== GREATER_THAN) return MALFORMED;
    const end = findEnd(locEnd + CLOSE_BYTES, to);
    if (end + CLOSE_BYTES + 1 > to) break;
    if (load<u8>(end, CLOSE_BYTES) !== LINE_FEED) return MALFORMED;
    position = end + CLOSE_BYTES + 1;
    entries++;
    if (counts) countOrigin(loc, locEnd);
    const key = locHash(loc, locEnd, seed);
    if (!isLookedAt(key)) continue;
    const record = RECORDS + records * RECORD_BYTES;
    store<u64>(record, key);
    store<u32>(record, keptRest(restHash(locEnd + CLOSE_BYTES, end, seed)), 8);
    store<u32>(record, loc, 12);
    store<u32>(record, locEnd - loc, 16);
    records++;
  }
  return records;
}

/**
 * Reads the stored hashes of a file (HASHES_BYTES for each entry) up to `to`, or until the records are full. Returns the number of
 * records. These records have the ordinals of their entries, from 0, in place of addresses.
 */
export function unpack(to: i32): i32 {
  let records = 0;
  for (; records < MAX_RECORDS && position < to; position += HASHES_BYTES, entries++) {
    const key = load<u64>(position);
    if (!isLookedAt(key)) continue;
    const record = RECORDS + records * RECORD_BYTES;
    store<u64>(record, key);
    store<u32>(record, load<u32>(position, 8), 8);
    store<u32>(record, entries, 12);
    store<u32>(record, 0, 16);
    records++;
  }
  return records;
}

/** Whether the entry with this hash becomes a record. */
function isLookedAt(key: u64): bool {
  return (key >> 32) - sliceFrom < sliceLength && mayDiffer(key);
}

/** Skips the header. Returns whether the first entry, or the footer, has been found. */
function skipHeader(to: i32): bool {
  while (to - position >= OPEN_BYTES) {
    const first = load<u64>(position);
    if (first === FOOTER_8 || (first === OPEN_8 && load<u16>(position, 8) === OPEN_2)) {
      isInHeader = false;
      return true;
    }
    position++;
    headerBytes++;
  }
  return false;
}
