/** Builds the index of the URLs of some files in memory: ten bytes for each entry. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { bucketOf, type IndexedPlace, printOf, RECORD_BYTES, writeIndexHead } from './url-index.ts';

/** A bucket is a kilobyte: the smallest part of an object that is worth a request. */
const RECORDS_PER_BUCKET = 256;
/** A `loc` that comes very often fills its bucket. Records beyond this many are sorted, and repeated ones are left out. */
const MANY_RECORDS = 1024;
/** So many steps take some milliseconds. The process has other work. */
const STEPS_AT_ONCE = 65_536;

export interface BuiltIndex {
  readonly headBytes: number;
  /** The object, in parts. */
  readonly parts: readonly Uint8Array[];
}

export class IndexBuilder {
  readonly #seed: bigint;
  readonly #places: IndexedPlace[] = [];
  /** The upper word of each hash, and its record. */
  readonly #highs: Uint32Array;
  readonly #records: Uint32Array;
  #count = 0;

  /** `room`: the number of entries that will come. */
  constructor(seed: bigint, room: number) {
    this.#seed = seed;
    this.#highs = new Uint32Array(room);
    this.#records = new Uint32Array(room);
  }

  /** How much the index has so far. `forgetSince` goes back to it. */
  mark() {
    return { places: this.#places.length, count: this.#count };
  }

  forgetSince({ places, count }: ReturnType<IndexBuilder['mark']>): void {
    this.#places.length = places;
    this.#count = count;
  }

  /** The entries that come next are there. */
  beginPlace(place: IndexedPlace): void {
    this.#places.push(place);
  }

  /** Adds an entry by both words of the hash of its `loc`. Throws RangeError without room. */
  add(low: number, high: number): void {
    if (this.#count === this.#highs.length) throw new RangeError('more entries than announced');
    this.#highs[this.#count] = high;
    this.#records[this.#count] = ((this.#places.length - 1) << 16) | printOf(low);
    this.#count++;
  }

  async build(): Promise<BuiltIndex> {
    const bucketBits = Math.max(0, Math.ceil(Math.log2(this.#count / RECORDS_PER_BUCKET)));
    const sorted = await this.#sortByBucket(bucketBits);
    const buckets = new Uint32Array(2 * sorted.ends.length);
    let end = 0;
    for (const [bucket, to] of sorted.ends.entries()) {
      const from = bucket === 0 ? 0 : sorted.ends[bucket - 1]!;
      const records = withoutRepeated(sorted.records.subarray(from, to));
      // Buckets only move to the front, so none overwrites one that is still to be read.
      sorted.records.set(records, end);
      const at = RECORD_BYTES * end;
      end += records.length;
      buckets[2 * bucket] = end;
      buckets[2 * bucket + 1] = crc32(
        new Uint8Array(sorted.records.buffer, at, RECORD_BYTES * records.length),
      );
      if (bucket % 256 === 255) await nextTurn();
    }
    const head = writeIndexHead({ seed: this.#seed, bucketBits, places: this.#places, buckets });
    return {
      headBytes: head.length,
      parts: [head, new Uint8Array(sorted.records.buffer, 0, RECORD_BYTES * end)],
    };
  }

  /** A counting sort. Returns the end of each bucket. */
  async #sortByBucket(bits: number): Promise<{ records: Uint32Array<ArrayBuffer>; ends: Uint32Array }> {
    const next = new Uint32Array(2 ** bits + 1);
    await this.#forAll((i) => {
      next[bucketOf(this.#highs[i]!, bits) + 1]!++;
    });
    for (let bucket = 1; bucket < next.length; bucket++) next[bucket]! += next[bucket - 1]!;
    const records = new Uint32Array(this.#count);
    await this.#forAll((i) => {
      const bucket = bucketOf(this.#highs[i]!, bits);
      records[next[bucket]!++] = this.#records[i]!;
    });
    // Each bucket has moved its beginning to its end.
    return { records, ends: next.subarray(0, -1) };
  }

  async #forAll(step: (i: number) => void): Promise<void> {
    for (let i = 0; i < this.#count; i++) {
      step(i);
      if (i % STEPS_AT_ONCE === STEPS_AT_ONCE - 1) await nextTurn();
    }
  }
}

function withoutRepeated(records: Uint32Array): Uint32Array {
  return records.length > MANY_RECORDS ? Uint32Array.from(new Set(records)) : records;
}
