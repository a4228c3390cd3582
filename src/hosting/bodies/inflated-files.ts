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
import { Busy } from './busy.ts';
import type { Soon } from './soon.ts';
import { type FoundFile, ObjectGone } from './stored-objects.ts';

const inflate = promisify(gunzip);

/** Some 12 ms of a core. Larger files take up to 160 ms. */
export const SMALL_XML_BYTES = 4 * 1024 * 1024;
const SMALL_PLACES = 2;
const LARGE_PLACES = 1;
/** Files being inflated or waiting for it: some seconds of work in all. */
const WAITING = { inAll: 128, perOwner: 16 };
/** zlib gives its output in pieces of this size. Each piece costs a turn of the event loop. */
const CHUNK_BYTES = 1024 * 1024;

export interface InflatedFilesOptions {
  readonly cacheBytes: number;
  readonly counts: CacheCounts;
  /** The whole object, gzip. */
  readonly readGzip: (found: FoundFile) => Soon<Buffer>;
}

export class InflatedFiles {
  readonly #readGzip: InflatedFilesOptions['readGzip'];
  readonly #counts: CacheCounts;
  readonly #cache: LRUCache<string, Buffer>;
  readonly #underWay = new SingleFlight<Buffer>();
  readonly #waiting = new Shares(WAITING);
  readonly #small = new Turns(SMALL_PLACES);
  readonly #large = new Turns(LARGE_PLACES);

  constructor({ cacheBytes, counts, readGzip }: InflatedFilesOptions) {
    this.#readGzip = readGzip;
    this.#counts = counts;
    this.#cache = new LRUCache({ maxSize: cacheBytes, sizeCalculation: ({ length }) => length });
  }

  /** Memory in use. */
  get bytes(): number {
    return this.#cache.calculatedSize;
  }

  /** The whole XML. `ownerOf`: who takes the turn. Throws Busy, and ObjectGone if the gzip is damaged. */
  read(found: FoundFile, ownerOf: () => string | undefined): Soon<Buffer> {
    const key = `${found.key} ${found.file.etag}`;
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

  async #inflate(found: FoundFile): Promise<Buffer> {
    const { bytes } = found.file;
    const gzip = await this.#readGzip(found);
    try {
      const chunkSize = Math.max(64, Math.min(bytes + 1, CHUNK_BYTES));
      const xml = await inflate(gzip, { chunkSize, maxOutputLength: Math.max(1, bytes) });
      if (xml.length === bytes) return xml;
    } catch (cause) {
      throw new ObjectGone(found.key, { cause });
    }
    throw new ObjectGone(found.key);
  }
}
