/**
 * Reads sections, listings and files. Small objects, if they were used recently, come from a cache. Every object that `find-file.ts` names
 * must exist in the store. ObjectGone means that such an object is missing, or that a file is damaged.
 */
import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import {
  listingKey,
  listingSchema,
  type SectionSitemap,
  type SiteSection,
  sectionContentSchema,
  sectionKey,
} from '../../../features/sites/site.ts';
import { SingleFlight } from '../../../platform/concurrency/single-flight.ts';
import { Turns } from '../../../platform/concurrency/turns.ts';
import { contentDigest } from '../../../platform/content-digest.ts';
import type { ByteRange } from '../../../platform/storage/object-storage.ts';
import type { CacheCounts, HostingCounts } from '../hosting-counts.ts';
import { CachedListing, storedFilesOf } from '../lookup/cached-listing.ts';
import { type FoundFile, parsedBytes } from '../lookup/found-file.ts';
import type { GuardedStorage } from '../lookup/guarded-storage.ts';
import { Busy } from './busy.ts';

/** The error for a stored object that is missing although `site.json` or a listing names it, or for a damaged file. */
export class ObjectGone extends Error {
  override readonly name = 'ObjectGone';
}

/**
 * The memory of a listing for each byte of its JSON. Measured for a listing of 20,000 files: up to 2.1 bytes, and 2.3 more bytes after
 * requests for all of its files.
 */
const HEAP_PER_JSON_BYTE = 4.5;
/** The sitemaps of a section, by name. */
export type HeldSection = ReadonlyMap<string, SectionSitemap>;
type HeldObject = Buffer | CachedListing | HeldSection;

/**
 * The most whole files that are read at once: as many as an S3 store has connections. They take 256 MiB at most. A store in a folder begins
 * any number of reads, which then take memory for all files and end late.
 */
const FILES_AT_ONCE = 64;
/** The most volumes of an index that are read at once. */
const VOLUMES_AT_ONCE = 8;
/** The memory of a cache entry beside its value. */
const ENTRY_BYTES = 500;

export interface StoredObjectsOptions {
  /** The store of sections and listings. If its connections are not those of `fileStorage`, these small reads never wait for files. */
  readonly storage: GuardedStorage;
  readonly fileStorage: GuardedStorage;
  readonly cacheBytes: number;
  readonly maxCachedFileBytes: number;
  /** The longest time that a read of a whole file waits for its turn. */
  readonly maxWaitMs: number;
  readonly counts: Pick<HostingCounts, 'listings' | 'files'>;
}

export class StoredObjects {
  readonly #options: StoredObjectsOptions;
  readonly #cache: LRUCache<string, HeldObject>;
  readonly #reads = new SingleFlight<HeldObject>();
  readonly #fileTurns = new Turns(FILES_AT_ONCE);

  constructor(options: StoredObjectsOptions) {
    this.#options = options;
    this.#cache = new LRUCache({ maxSize: options.cacheBytes });
  }

  /** The memory of all cached objects. */
  get bytes(): number {
    return this.#cache.calculatedSize;
  }

  /**
   * Reads the listing of an upload's files. `origin`: that of the site, because another origin means another listing, with another index,
   * under the same key.
   */
  listing(uploadId: string, origin: string): CachedListing | Promise<CachedListing> {
    const { storage, counts } = this.#options;
    const key = listingKey(uploadId);
    const cacheKey = `${key} ${origin}`;
    return this.#find(cacheKey, counts.listings, async () => {
      const json = await this.#readJson(key);
      const parsed = storage.parse(key, json, listingSchema);
      const bytes = parsedBytes(json.length, HEAP_PER_JSON_BYTE, storedFilesOf(parsed));
      return { held: new CachedListing(uploadId, parsed, cacheKey), bytes };
    });
  }

  /** Reads the sitemaps of a section of a divided site. Counts as a listing. */
  section(hostname: string, section: SiteSection): HeldSection | Promise<HeldSection> {
    const { storage, counts } = this.#options;
    const key = sectionKey(hostname, section);
    return this.#find(`${key} ${section.digest}`, counts.listings, async () => {
      const json = await this.#readJson(key);
      const { sitemaps } = storage.parse(key, json, sectionContentSchema);
      const held: HeldSection = new Map(sitemaps.map((sitemap) => [sitemap.name, sitemap]));
      return { held, bytes: parsedBytes(json.length, HEAP_PER_JSON_BYTE, []) };
    });
  }

  async #readJson(key: string): Promise<Buffer> {
    const json = await this.#options.storage.read(key);
    if (json === undefined) throw new ObjectGone(key);
    return json.bytes;
  }

  /** Returns whether the gzip of a file came with its description, or is small enough for the cache. */
  isCacheable({ file, content }: FoundFile): boolean {
    return content !== undefined || file.gzipBytes <= this.#options.maxCachedFileBytes;
  }

  /** Reads a part of a file's gzip. Returns a copy, because a subarray of a cached buffer keeps the whole buffer in memory. */
  async readPiece(found: FoundFile, range: ByteRange): Promise<Buffer> {
    const held = found.content === undefined ? this.#cache.get(found.cacheKey) : this.#contentOf(found);
    if (Buffer.isBuffer(held)) return Buffer.from(held.subarray(range.offset, range.offset + range.length));
    if (found.volumes !== undefined) {
      const whole = await this.readWhole(found);
      return Buffer.from(whole.subarray(range.offset, range.offset + range.length));
    }
    const piece = await this.#options.fileStorage.read(found.key, range);
    if (piece?.objectBytes !== found.file.gzipBytes) throw this.gone(found);
    return piece.bytes;
  }

  /** Reads the whole gzip of a file. `ownerOf`: returns the owner of the client's turns. Throws ObjectGone, StoreUnavailable, Busy. */
  readWhole(found: FoundFile, ownerOf: () => string | undefined = () => undefined): Buffer | Promise<Buffer> {
    const { counts } = this.#options;
    const { cacheKey, file } = found;
    if (found.content !== undefined) {
      counts.files.hits++;
      return this.#contentOf(found);
    }
    return this.#find(cacheKey, counts.files, async () => {
      const held = found.volumes ? await this.#join(found) : await this.#readInTurn(found, ownerOf());
      if (held?.length !== file.gzipBytes) throw this.gone(found);
      // An index in volumes has another kind of etag, and its volumes are checked one by one.
      if (!found.volumes && contentDigest([held]) !== file.etag) throw this.gone(found);
      return { held, bytes: this.isCacheable(found) ? file.gzipBytes : undefined };
    });
  }

  async #readInTurn({ key }: FoundFile, owner = ''): Promise<Buffer | undefined> {
    const { fileStorage, maxWaitMs } = this.#options;
    const calledAt = performance.now();
    const object = await this.#fileTurns.run(owner, async () => {
      if (performance.now() - calledAt > maxWaitMs) throw new Busy('too many files are being read');
      return fileStorage.read(key);
    });
    return object?.bytes;
  }

  /** Reads an index of volumes. A new index has most volumes of the index before it, so volumes are cached one by one. */
  async #join(found: FoundFile): Promise<Buffer> {
    const { fileStorage, counts } = this.#options;
    const { start, objects, end } = found.volumes!;
    const read = ({ key, cacheKey, gzipBytes, etag }: (typeof objects)[number]) =>
      this.#find(cacheKey, counts.files, async () => {
        const object = await fileStorage.read(key);
        if (object === undefined || contentDigest([object.bytes]) !== etag) throw this.gone(found);
        return { held: object.bytes, bytes: gzipBytes };
      });
    const volumes = await pMap(objects, read, { concurrency: VOLUMES_AT_ONCE });
    return Buffer.concat([start, ...volumes, end]);
  }

  /** Finds a value in memory, or reads it once for all waiting requests. `bytes`: the memory of the value; undefined: do not cache it. */
  #find<Held extends HeldObject>(
    key: string,
    counts: CacheCounts,
    read: () => Promise<{ readonly held: Held; readonly bytes: number | undefined }>,
  ): Held | Promise<Held> {
    const cached = this.#cache.get(key);
    if (cached !== undefined) {
      counts.hits++;
      return cached as Held;
    }
    counts.misses++;
    return this.#reads.join(key, async () => {
      const { held, bytes } = await read();
      if (bytes !== undefined) this.#cache.set(key, held, { size: ENTRY_BYTES + bytes });
      return held;
    }) as Promise<Held>;
  }

  /** Returns the bytes that came with the description of a small file. */
  #contentOf(found: FoundFile): Buffer {
    if (found.content == null) throw this.gone(found);
    return found.content;
  }

  /**
   * Returns the error for a file that is gone or damaged. Drops the file, its volumes and its listing from the cache, because a rebuild
   * writes all of them again under the same keys.
   */
  gone({ key, cacheKey, listedIn, volumes }: FoundFile, options?: ErrorOptions): ObjectGone {
    this.#cache.delete(cacheKey);
    for (const volume of volumes?.objects ?? []) this.#cache.delete(volume.cacheKey);
    if (listedIn !== undefined) this.#cache.delete(listedIn);
    return new ObjectGone(key, options);
  }
}
