/**
 * Inflated files, for clients without gzip. Requests for the same file share one inflation (single flight). The XML
 * has a cache of its own: clients without gzip never evict the gzip bytes that nearly everyone asks for.
 *
 * Inflating takes processor time for the whole file, even for a small range. So clients take turns. Small files have
 * places of their own and never wait behind large ones.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { Shares } from '../../platform/concurrency/shares.ts';
import { SingleFlight } from '../../platform/concurrency/single-flight.ts';
import { Turns } from '../../platform/concurrency/turns.ts';
import type { CacheCounts } from '../hosting-counts.ts';
import type { FoundFile } from '../lookup/found-file.ts';
import { Busy } from './busy.ts';
import type { Soon } from './soon.ts';
import type { StoredObjects } from './stored-objects.ts';

const inflate = promisify(gunzip);

/** Some 12 ms of a core. Larger files take up to 160 ms. */
export const SMALL_XML_BYTES = 4 * 1024 * 1024;
const SMALL_PLACES = 2;
const LARGE_PLACES = 1;
/** Files being inflated or waiting for it: some seconds of work in all. */
const WAITING = { inAll: 128, perOwner: 16 };
/** A large file is kept if it takes no more of the cache. Of the default, this is 16 MiB: nearly every file is smaller. */
const LARGE_PART = 0.25;
/** Large files that were asked for once, by their keys: 200 kB at most. */
const MAX_ASKED = 1_000;
/** For the key and the cache's own bookkeeping. */
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
  readonly #asked = new LRUCache<string, true>({ max: MAX_ASKED });
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

  /** Memory in use. */
  get bytes(): number {
    return this.#cache.calculatedSize;
  }

  /** The whole XML. `ownerOf`: who takes the turn. Throws Busy, and ObjectGone if the gzip is damaged. */
  read(found: FoundFile, ownerOf: () => string | undefined): Soon<Buffer> {
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
        const xml = await turns.run(owner ?? '', async () => this.#inflate(found));
        this.#cache.set(key, xml);
        return xml;
      } finally {
        leave();
      }
    });
  }

  /**
   * The whole XML of a large file that was asked for before. Undefined: stream it. So a file that one client asks for
   * once costs no memory, and nobody waits for the inflation of other files.
   */
  findLarge(found: FoundFile, ownerOf: () => string | undefined): Soon<Buffer> | undefined {
    const key = found.cacheKey;
    if (this.#cache.has(key) || this.#underWay.find(key) !== undefined) return this.read(found, ownerOf);
    if (found.file.bytes > this.#maxLargeBytes) return undefined;
    if (this.#asked.get(key) && this.#large.hasFree) return this.read(found, ownerOf);
    this.#asked.set(key, true);
    return undefined;
  }

  async #inflate(found: FoundFile): Promise<Buffer> {
    const { bytes } = found.file;
    const gzip = await this.#objects.readWhole(found);
    try {
      // One piece of output: each piece costs a turn of the event loop, and to join them costs a copy.
      const chunkSize = Math.max(64, bytes + 1);
      const xml = await inflate(gzip, { chunkSize, maxOutputLength: Math.max(1, bytes) });
      if (xml.length === bytes) return alone(xml);
    } catch (cause) {
      throw this.#objects.gone(found, { cause });
    }
    throw this.#objects.gone(found);
  }
}

/** Small buffers of zlib are slices of a pool: a copy keeps no more than itself. */
function alone(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= bytes.length + 1) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
