/**
 * Tells whether a file may have a URL. The print of an entry is two bytes of the hash of its `loc`. The prints of a file stand in buckets,
 * by other bits of the hash. Prints of many files stay in memory, so a few operations on a sitemap with many files read only some files.
 */
import { HASH_WORDS, wordsOf } from './operations.ts';

/** A bucket of 32 prints is a cache line or two. With 65,536 different prints, a look-up finds a URL wrongly in one of some 2,000 files. */
const ENTRIES_PER_BUCKET = 32;

/** The bits of a hash that are a print. */
const PRINT = 0xffff;

export class FilePrints {
  /** There are 2 ** #bits buckets. The highest #bits bits of a hash's second word choose the bucket. */
  readonly #bits: number;
  readonly #bucketEnds: Uint32Array;
  readonly #prints: Uint16Array;
  /**
   * The number of files of a cache that use these prints. A file that is written again without a new URL shares the prints of its former
   * version.
   */
  holders = 0;

  /** `hashes`: HASHES_BYTES for each entry. */
  constructor(hashes: Uint8Array) {
    const words = wordsOf(hashes);
    const count = words.length / HASH_WORDS;
    this.#bits = Math.max(0, Math.ceil(Math.log2(count / ENTRIES_PER_BUCKET)));
    const next = new Uint32Array(2 ** this.#bits + 1);
    for (let at = 1; at < words.length; at += HASH_WORDS) next[this.#bucketOf(words[at]!) + 1]!++;
    for (let bucket = 1; bucket < next.length; bucket++) next[bucket]! += next[bucket - 1]!;
    const prints = new Uint16Array(count);
    for (let at = 0; at < words.length; at += HASH_WORDS) {
      prints[next[this.#bucketOf(words[at + 1]!)]!++] = words[at]! & PRINT;
    }
    this.#prints = prints;
    // The loop has moved the beginning of each bucket to its end.
    this.#bucketEnds = next.subarray(0, -1);
  }

  get bytes(): number {
    return this.#prints.byteLength + this.#bucketEnds.byteLength;
  }

  /** Whether a URL may be in the file, by the two words of the hash of its `loc`. */
  mayHave(low: number, high: number): boolean {
    const bucket = this.#bucketOf(high);
    const print = low & PRINT;
    const end = this.#bucketEnds[bucket]!;
    for (let i = bucket === 0 ? 0 : this.#bucketEnds[bucket - 1]!; i < end; i++) {
      if (this.#prints[i] === print) return true;
    }
    return false;
  }

  #bucketOf(high: number): number {
    return this.#bits === 0 ? 0 : high >>> (32 - this.#bits);
  }
}

/** Caches the prints of files by their objects. An object never changes. The prints that were unused for the longest time go first. */
export class PrintsCache {
  readonly #limit: number;
  readonly #prints = new Map<string, FilePrints>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(uploadId: string, uploadN: number): FilePrints | undefined {
    const key = keyOf(uploadId, uploadN);
    const prints = this.#prints.get(key);
    if (prints === undefined) return undefined;
    this.#prints.delete(key);
    this.#prints.set(key, prints);
    return prints;
  }

  add(uploadId: string, uploadN: number, prints: FilePrints): void {
    const key = keyOf(uploadId, uploadN);
    if (this.#prints.has(key)) return;
    this.#prints.set(key, prints);
    if (prints.holders++ === 0) this.#bytes += prints.bytes;
    for (const [oldest, held] of this.#prints) {
      if (this.#bytes <= this.#limit) break;
      this.#prints.delete(oldest);
      if (--held.holders === 0) this.#bytes -= held.bytes;
    }
  }
}

const keyOf = (uploadId: string, uploadN: number) => `${uploadId} ${uploadN}`;
