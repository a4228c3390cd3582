/**
 * The index of the URLs of some files, as an object beside the files. The index tells in which fragment a URL may be. If an index is
 * missing or damaged, a look-up reads the files (docs/decisions/0056). The object consists of words of 32 bits, little-endian:
 *
 * ```
 * FORM · CRC-32 of the rest of the head · seed of the hashes (2 words) · bits of a bucket's number · places
 * for each place:    file · where its deflated bytes begin · their length · length of the XML      length 0: the whole file
 * for each bucket:   where the next bucket begins, in records · CRC-32 of its records
 * records            a place in the upper half, a print in the lower half
 * ```
 * The highest bits of the hash of a `loc` are the number of its bucket. The lowest 16 bits are its print.
 */
import { crc32 } from 'node:zlib';

/** A part of a stored file, or all of it. */
export interface IndexedPlace {
  /** The number of the file in its upload. */
  readonly file: number;
  readonly from: number;
  /** 0: the whole file. */
  readonly deflatedBytes: number;
  /** The length of the XML. */
  readonly bytes: number;
}

export interface IndexHead {
  readonly bytes: number;
  readonly seed: bigint;
  readonly bucketBits: number;
  readonly places: readonly IndexedPlace[];
  /** Two words for each bucket: where the next bucket begins, in records, and the CRC-32 of the records of this bucket. */
  readonly buckets: Uint32Array;
}

/** The most places of an index. A record names its place in 16 bits. */
export const MAX_PLACES = 0x10000;
export const RECORD_BYTES = 4;
const PRINT = 0xffff;
/** The form of the object. Change it also when the hash function changes (`kernels/entry-hash.ts`). */
const FORM = 0x31495057;
const HEAD_WORDS = 6;
const PLACE_WORDS = 4;
const BUCKET_WORDS = 2;
/** The CRC-32 covers all bytes from here on. */
const SUMMED_FROM = 8;
/** Our indexes have fewer bits. The limit keeps a damaged number from taking memory. */
const MAX_BUCKET_BITS = 20;

export const printOf = (low: number) => low & PRINT;
export const bucketOf = (high: number, bits: number) => (bits === 0 ? 0 : high >>> (32 - bits));

export function writeIndexHead({ seed, bucketBits, places, buckets }: Omit<IndexHead, 'bytes'>): Buffer {
  const words = new Uint32Array(HEAD_WORDS + PLACE_WORDS * places.length + buckets.length);
  words.set([FORM, 0, Number(seed & 0xffffffffn), Number(seed >> 32n), bucketBits, places.length]);
  for (const [i, { file, from, deflatedBytes, bytes }] of places.entries()) {
    words.set([file, from, deflatedBytes, bytes], HEAD_WORDS + PLACE_WORDS * i);
  }
  words.set(buckets, words.length - buckets.length);
  const head = Buffer.from(words.buffer);
  words[1] = crc32(head.subarray(SUMMED_FROM));
  return head;
}

/** Returns undefined if the bytes are not those of a head of this form, or are damaged. */
export function readIndexHead(head: Uint8Array): IndexHead | undefined {
  if (head.length % 4 !== 0 || head.length < 4 * HEAD_WORDS) return undefined;
  // The copy begins at a multiple of 4, as words must.
  const words = new Uint32Array(Uint8Array.from(head).buffer);
  if (words[0] !== FORM || crc32(head.subarray(SUMMED_FROM)) !== words[1]) return undefined;
  const [low, high, bucketBits, placeCount] = [words[2]!, words[3]!, words[4]!, words[5]!];
  if (bucketBits > MAX_BUCKET_BITS || placeCount > MAX_PLACES) return undefined;
  const bucketsAt = HEAD_WORDS + PLACE_WORDS * placeCount;
  if (words.length !== bucketsAt + BUCKET_WORDS * 2 ** bucketBits) return undefined;
  const places = Array.from({ length: placeCount }, (_, i) => {
    const at = HEAD_WORDS + PLACE_WORDS * i;
    return { file: words[at]!, from: words[at + 1]!, deflatedBytes: words[at + 2]!, bytes: words[at + 3]! };
  });
  const seed = (BigInt(high) << 32n) | BigInt(low);
  return { bytes: head.length, seed, bucketBits, places, buckets: words.subarray(bucketsAt) };
}

interface BucketRange {
  readonly offset: number;
  readonly length: number;
  readonly crc: number;
}

export function bucketRange({ bytes, bucketBits, buckets }: IndexHead, hash: bigint): BucketRange {
  const bucket = bucketOf(Number(hash >> 32n), bucketBits);
  const first = bucket === 0 ? 0 : buckets[BUCKET_WORDS * (bucket - 1)]!;
  const end = buckets[BUCKET_WORDS * bucket]!;
  const length = RECORD_BYTES * (end - first);
  return { offset: bytes + RECORD_BYTES * first, length, crc: buckets[BUCKET_WORDS * bucket + 1]! };
}

/** Returns the places at which the URL with this hash may be; undefined if the bucket is damaged. */
export function placesIn(
  records: Buffer,
  { length, crc }: BucketRange,
  { places }: IndexHead,
  hash: bigint,
): IndexedPlace[] | undefined {
  if (records.length !== length || crc32(records) !== crc) return undefined;
  const print = printOf(Number(hash & 0xffffffffn));
  const found = new Set<IndexedPlace>();
  for (let at = 0; at < records.length; at += RECORD_BYTES) {
    if (records.readUInt16LE(at) !== print) continue;
    const place = places[records.readUInt16LE(at + 2)];
    if (place === undefined) return undefined;
    found.add(place);
  }
  return [...found];
}
