/**
 * Inflates files for clients without gzip. Requests for the same file share one inflation (single flight). The XML has a cache of its own,
 * so clients without gzip never evict the gzip bytes, for which nearly all clients ask.
 *
 * Even a small range takes processor time for the whole file, so clients take turns. Small files have places of their own, and never wait
 * behind large ones.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { alone } from '../../../platform/alone.ts';
import { Shares } from '../../../platform/concurrency/shares.ts';
import { SingleFlight } from '../../../platform/concurrency/single-flight.ts';
import { Turns } from '../../../platform/concurrency/turns.ts';
import { mostEntries } from '../../../platform/most-entries.ts';
import type { CacheCounts } from '../hosting-counts.ts';
import type { FoundFile } from '../lookup/found-file.ts';
import { Busy } from './busy.ts';
import type { StoredObjects } from './stored-objects.ts';

const inflate = promisify(gunzip);

/** The most XML of a small file. Inflating this much takes some 12 ms of a core. A large file takes up to 160 ms. */
export const SMALL_XML_BYTES = 4 * 1024 * 1024;
/** The most small files that are inflated at once. */
const SMALL_PLACES = 2;
const LARGE_PLACES = 1;
/** The most files that are inflated or wait for inflation: some seconds of work in all. */
const WAITING = { inAll: 128, perOwner: 16 };
/** The largest part of the cache that one file may take: by default 16 MiB. Nearly every file is smaller. */
const LARGE_PART = 0.25;
/** The most keys of large files that were requested once. They take 200 kB at most. */
const MAX_ASKED = 1_000;
/** The memory of a cache entry beside its value. */
const ENTRY_BYTES = 500;

export interface InflatedFilesOptions {
  readonly cacheBytes: number;
  readonly counts: CacheCounts;
  readonly objects: Pick<StoredObjects, 'readWhole' | 'gone'>;
}

export class InflatedFiles {
  readonly #objects: InflatedFilesOptions['objects'];
  readonly #counts: CacheCounts;
  readonly #cache: LRUCache<string, Buffer>;
  readonly #underWay = new SingleFlight<Buffer>();
  readonly #maxLargeBytes: number;
  readonly #asked = new LRUCache<string, true>(mostEntries(MAX_ASKED));
  readonly #waiting = new Shares(WAITING);
  readonly #small = new Turns(SMALL_PLACES);
  readonly #large = new Turns(LARGE_PLACES);

  constructor({ cacheBytes, counts, objects }: InflatedFilesOptions) {
    this.#objects = objects;
    this.#counts = counts;
    this.#cache = new LRUCache({
      maxSize: cacheBytes,
      sizeCalculation: ({ buffer }) => ENTRY_BYTES + buffer.byteLength,
    });
    this.#maxLargeBytes = cacheBytes * LARGE_PART;
  }

  /** The memory of all cached XML. */
  get bytes(): number {
    return this.#cache.calculatedSize;
  }

  /** Returns the whole XML. `ownerOf`: returns the owner of the client's turns. Throws Busy, and ObjectGone if the gzip is damaged. */
  read(found: FoundFile, ownerOf: () => string | undefined): Buffer | Promise<Buffer> {
    const key = found.cacheKey;
    const cached = this.#cache.get(key);
    if (cached !== undefined) {
      this.#counts.hits++;
      return cached;
    }
    this.#counts.misses++;
    return this.#underWay.join(key, async () => {
      const owner = ownerOf();
      const leave = this.#waiting.take(owner);
      if (leave === undefined) throw new Busy('too many files wait to be inflated');
      try {
        const turns = found.file.bytes <= SMALL_XML_BYTES ? this.#small : this.#large;
        const xml = await turns.run(owner ?? '', async () => this.#inflate(found, owner));
        this.#cache.set(key, xml);
        return xml;
      } finally {
        leave();
      }
    });
  }

  /**
   * Returns the whole XML of a large file that was requested before. Undefined for a first request, for a file that is too large for the
   * cache, and while another large file is inflated. The caller then streams the file. So a file that is requested once costs no memory,
   * and its client does not wait while other files are inflated.
   */
  findLarge(found: FoundFile, ownerOf: () => string | undefined): Buffer | Promise<Buffer> | undefined {
    const key = found.cacheKey;
    if (this.#cache.has(key) || this.#underWay.find(key) !== undefined) return this.read(found, ownerOf);
    if (found.file.bytes > this.#maxLargeBytes) return undefined;
    if (this.#asked.get(key) && this.#large.hasFree) return this.read(found, ownerOf);
    this.#asked.set(key, true);
    return undefined;
  }

  async #inflate(found: FoundFile, owner: string | undefined): Promise<Buffer> {
    const { bytes } = found.file;
    const gzip = await this.#objects.readWhole(found, () => owner);
    try {
      // Make the output one piece, because each piece costs a turn of the event loop, and joining pieces costs a copy.
      const chunkSize = Math.max(64, bytes + 1);
      const xml = await inflate(gzip, { chunkSize, maxOutputLength: Math.max(1, bytes) });
      if (xml.length === bytes) return alone(xml);
    } catch (cause) {
      throw this.#objects.gone(found, { cause });
    }
    throw this.#objects.gone(found);
  }
}
