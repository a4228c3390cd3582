/**
 * Builds the index of the URLs of some files in memory, with six bytes for each entry. Sorts the records in place, because a copy of four
 * million records takes 16 MB.
 */
import { crc32 } from 'node:zlib';
import { bucketOf, type IndexedPlace, printOf, RECORD_BYTES, writeIndexHead } from './url-index.ts';

/** The most records of a bucket on average. 256 records have a kilobyte, and smaller parts of an object are not worth a request. */
const RECORDS_PER_BUCKET = 256;
/** A bucket with more records leaves out repeated records. Most likely, they come from a `loc` that is repeated very often. */
const MANY_RECORDS = 1024;

export class IndexBuilder {
  readonly #seed: bigint;
  readonly #places: IndexedPlace[] = [];
  readonly #bucketBits: number;
  readonly #buckets: Uint16Array<ArrayBuffer>;
  readonly #records: Uint32Array<ArrayBuffer>;
  #count = 0;

  /** `room`: the number of entries that will come. */
  constructor(seed: bigint, room: number) {
    this.#seed = seed;
    this.#bucketBits = Math.min(16, Math.max(0, Math.ceil(Math.log2(room / RECORDS_PER_BUCKET))));
    this.#buckets = new Uint16Array(room);
    this.#records = new Uint32Array(room);
  }

  /** Returns the present size of the index. `forgetSince` shrinks the index to this size. */
  mark() {
    return { places: this.#places.length, count: this.#count };
  }

  forgetSince({ places, count }: ReturnType<IndexBuilder['mark']>): void {
    this.#places.length = places;
    this.#count = count;
  }

  /** Begins a place. The entries that are added next are at this place. */
  beginPlace(place: IndexedPlace): void {
    this.#places.push(place);
  }

  /** Adds an entry by the two words of the hash of its `loc`. Throws RangeError if there is no room. */
  add(low: number, high: number): void {
    if (this.#count === this.#records.length) throw new RangeError('more entries than announced');
    this.#buckets[this.#count] = bucketOf(high, this.#bucketBits);
    this.#records[this.#count] = ((this.#places.length - 1) << 16) | printOf(low);
    this.#count++;
  }

  /**
   * Returns the two parts of the object. Call `build` only once. The records keep the memory of the builder; the rest is freed at once,
   * because the garbage collector sees only small objects and runs late.
   */
  build(): { readonly head: Uint8Array; readonly records: Uint8Array<ArrayBuffer> } {
    const ends = this.#sortByBucket();
    const records = this.#records;
    const buckets = new Uint32Array(2 * ends.length);
    let end = 0;
    for (const [bucket, to] of ends.entries()) {
      const from = bucket === 0 ? 0 : ends[bucket - 1]!;
      // In ascending records, the places are in the order of the files.
      const kept = withoutRepeated(records.subarray(from, to).sort());
      // Buckets only move to the front, so a bucket never overwrites a bucket that is still to be read.
      records.set(kept, end);
      const at = RECORD_BYTES * end;
      end += kept.length;
      buckets[2 * bucket] = end;
      buckets[2 * bucket + 1] = crc32(new Uint8Array(records.buffer, at, RECORD_BYTES * kept.length));
    }
    const [seed, bucketBits, places] = [this.#seed, this.#bucketBits, this.#places];
    const head = writeIndexHead({ seed, bucketBits, places, buckets });
    this.#buckets.buffer.transfer(0);
    return { head, records: new Uint8Array(records.buffer, 0, RECORD_BYTES * end) };
  }

  /** Sorts in place. Exchanges each record with the record at the next free place of its bucket. Returns the end of each bucket. */
  #sortByBucket(): Uint32Array {
    const buckets = this.#buckets;
    const records = this.#records;
    const next = new Uint32Array(2 ** this.#bucketBits);
    for (let i = 0; i < this.#count; i++) next[buckets[i]!]!++;
    let sum = 0;
    const ends = next.map((count) => {
      sum += count;
      return sum;
    });
    next.set(ends.subarray(0, -1), 1);
    next[0] = 0;
    for (let bucket = 0; bucket < ends.length; bucket++) {
      while (next[bucket]! < ends[bucket]!) {
        const at = next[bucket]!;
        const own = buckets[at]!;
        const to = next[own]!++;
        const record = records[at]!;
        buckets[at] = buckets[to]!;
        records[at] = records[to]!;
        buckets[to] = own;
        records[to] = record;
      }
    }
    return ends;
  }
}

function withoutRepeated(records: Uint32Array): Uint32Array {
  return records.length > MANY_RECORDS ? Uint32Array.from(new Set(records)) : records;
}
