/** Looks URLs up in indexes. The heads of indexes are held in memory. A look-up reads a bucket, about a kilobyte, per URL and index. */
import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import { SingleFlight } from '../../platform/concurrency/single-flight.ts';
import { urlIndexKey } from '../sites/site.ts';
import type { UrlIndex } from './index-store.ts';
import type { LocKernel } from './loc-kernel.ts';
import { type ReadStorage, readRange } from './stored-files.ts';
import { bucketRange, type IndexedPlace, type IndexHead, placesIn, readIndexHead } from './url-index.ts';

const MAX_HEADS_BYTES = 64 * 1024 ** 2;
/** In memory, places are objects. They take some five times their length in the store. */
const MEMORY_FACTOR = 5;
const READS_AT_ONCE = 32;

export class UrlIndexesReader {
  readonly #storage: ReadStorage;
  readonly #heads: LRUCache<string, IndexHead>;
  readonly #flights = new SingleFlight<IndexHead | undefined>();

  constructor(storage: ReadStorage) {
    this.#storage = storage;
    this.#heads = new LRUCache({
      maxSize: MAX_HEADS_BYTES,
      sizeCalculation: ({ bytes }) => bytes * MEMORY_FACTOR,
    });
  }

  /** Returns the places in which the URLs may be (`candidates`), and the indexes that are missing or damaged. */
  async lookUp(kernel: LocKernel, indexes: readonly UrlIndex[], urls: readonly string[]) {
    const damaged = new Set<UrlIndex>();
    const pairs = indexes.flatMap((index) => urls.map((url) => ({ index, url })));
    const found = await pMap(
      pairs,
      async ({ index, url }) => {
        if (damaged.has(index)) return [];
        const places = await this.#placesOf(kernel, index, url);
        if (places === undefined) damaged.add(index);
        return (places ?? []).map((place) => ({ ...place, uploadId: index.uploadId, url }));
      },
      { concurrency: READS_AT_ONCE },
    );
    return { candidates: found.flat(), damaged };
  }

  async #placesOf(kernel: LocKernel, index: UrlIndex, url: string): Promise<IndexedPlace[] | undefined> {
    const head = await this.#head(index);
    if (head === undefined) return undefined;
    const hash = kernel.hashOf(url, head.seed);
    const range = bucketRange(head, hash);
    const records = await readRange(this.#storage, urlIndexKey(index.uploadId, index.name), range);
    return records && placesIn(records, range, head, hash);
  }

  async #head({ uploadId, name, headBytes }: UrlIndex): Promise<IndexHead | undefined> {
    const key = urlIndexKey(uploadId, name);
    const held = this.#heads.get(key);
    if (held !== undefined) return held;
    return this.#flights.join(key, async () => {
      const bytes = await readRange(this.#storage, key, { offset: 0, length: headBytes });
      const head = bytes && readIndexHead(bytes);
      if (head !== undefined) this.#heads.set(key, head);
      return head;
    });
  }
}
