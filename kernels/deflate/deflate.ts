/**
 * Raw deflate (RFC 1951) for text that repeats itself as much as sitemaps do. The result is as small as with zlib's level 1, in half the
 * time: the search looks at two earlier places with the same four bytes, and at the last match's distance. It is AssemblyScript, and part
 * of ../sitemap/transcode.ts, whose memory holds both input and output.
 *
 * ```
 * text      ──▶ tokens: literals and matches, counted ──▶ a block: Huffman codes for these tokens, then the tokens
 * ```
 */
import { VECTOR } from '../../src/platform/kernel-layout.ts';
import { alignWithStoredBlock, setOutput } from './bits.ts';
import { countLiteral, countMatch, MAX_TOKENS, tokenCount, writeBlock } from './blocks.ts';

/** RFC 1951, section 2, sets these limits of distances and lengths. */
const WINDOW: i32 = 32768;
const MAX_MATCH: i32 = 258;
/** Deflate allows 3, but the code of such a match is seldom shorter than its literals. */
const MIN_MATCH: i32 = 4;
/** A match of this length ends the search. */
const LONG_MATCH: i32 = 32;

/**
 * For each hash of four bytes, the last two places where they were seen. A place counts the bytes of all texts since the
 * table was empty, so that we recognize places of earlier texts: the result must depend on this text alone.
 */
const HASH_BITS: i32 = 14;
const SEEN_BYTES: i32 = 16384 * 8;
const SEEN = memory.data(16384 * 8, 16);
/** The place of the next text's first byte. 0 is no place. */
let nextPlace: i32 = 1;

/**
 * Compresses the text to `out`. The result refers to nothing before the text, and ends with an empty stored block, at a byte boundary (a
 * sync flush), so further deflate may follow. Returns the end of the result. VECTOR bytes behind the text are read.
 */
export function deflate(from: i32, to: i32, out: i32): i32 {
  setOutput(out);
  if (to - from > i32.MAX_VALUE - nextPlace) {
    memory.fill(SEEN, 0, SEEN_BYTES);
    nextPlace = 1;
  }
  const shift = nextPlace - from;
  nextPlace += to - from;
  let i = from;
  let distance = 0;
  while (i < to) {
    if (tokenCount === MAX_TOKENS) writeBlock();
    const bytes = load<u32>(i);
    const seen = SEEN + ((bytes * 0x9e3779b1) >>> (32 - HASH_BITS)) * 8;
    const newerPlace = load<i32>(seen);
    const newer = newerPlace - shift;
    const older = load<i32>(seen, 4) - shift;
    store<i32>(seen, i + shift);
    store<i32>(seen, newerPlace, 4);
    const limit = min<i32>(to - i, MAX_MATCH);
    let match = newer;
    let length = isCandidate(newer, i, from, bytes) ? matchLength(newer, i, limit) : 0;
    if (length < LONG_MATCH && isCandidate(older, i, from, bytes)) {
      const other = matchLength(older, i, limit);
      if (other > length) {
        length = other;
        match = older;
      }
    }
    if (length < LONG_MATCH && distance !== 0 && load<u32>(i - distance) === bytes) {
      const other = matchLength(i - distance, i, limit);
      // A repeated distance costs few bits.
      if (other >= length) {
        length = other;
        match = i - distance;
      }
    }
    if (length < MIN_MATCH) {
      countLiteral(<u8>bytes);
      i++;
      continue;
    }
    distance = i - match;
    countMatch(length, distance);
    i += length;
  }
  writeBlock();
  return alignWithStoredBlock();
}

/** Places of earlier texts are before `from`. */
function isCandidate(place: i32, i: i32, from: i32, bytes: u32): bool {
  return place >= from && i - place <= WINDOW && load<u32>(place) === bytes;
}

/** Returns the number of equal bytes from `a` and from `b` on, up to `limit`. */
function matchLength(a: i32, b: i32, limit: i32): i32 {
  let length = 0;
  while (length < limit) {
    const equal = i8x16.bitmask(i8x16.eq(v128.load(a + length), v128.load(b + length)));
    if (equal !== 0xffff) return min<i32>(length + ctz(~equal), limit);
    length += VECTOR;
  }
  return limit;
}
