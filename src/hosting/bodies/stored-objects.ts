/**
 * Listings and files: small, recent ones from memory, the rest from storage. Every object that `find-file.ts` names
 * must exist. ObjectGone means that one does not.
 */
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../../platform/concurrency/single-flight.ts';
import type { ByteRange } from '../../platform/storage/object-storage.ts';
import { listingKey, listingSchema } from '../../sites/site.ts';
import type { HostingCounts } from '../hosting-counts.ts';
import { type FoundFile, parsedBytes } from '../lookup/found-file.ts';
import type { GuardedStorage } from '../lookup/guarded-storage.ts';
import { HeldListing, storedFilesOf } from '../lookup/held-listing.ts';
import type { Soon } from './soon.ts';

/** An object that `site.json` or a listing names is gone, or a file does not match its description. */
export class ObjectGone extends Error {
  override readonly name = 'ObjectGone';
}

/** Measured: a listing of 20,000 files takes up to 2.1 times the size of its JSON, and 2.3 more once all were asked for. */
const HEAP_PER_JSON_BYTE = 4.5;
const LISTING_NAME = listingKey('').split('/').at(-1)!;
/** For the key and the cache's own bookkeeping. */
const ENTRY_BYTES = 500;

export interface StoredObjectsOptions {
  /** For listings: small reads, which never wait behind files. */
  readonly storage: GuardedStorage;
  readonly fileStorage: GuardedStorage;
  readonly cacheBytes: number;
  readonly maxCachedFileBytes: number;
  readonly counts: Pick<HostingCounts, 'listings' | 'files'>;
}

export class StoredObjects {
  readonly #storage: GuardedStorage;
  readonly #fileStorage: GuardedStorage;
  readonly #maxCachedFileBytes: number;
  readonly #counts: StoredObjectsOptions['counts'];
  readonly #cache: LRUCache<string, Buffer | HeldListing>;
  readonly #listingReads = new SingleFlight<HeldListing>();
  readonly #fileReads = new SingleFlight<Buffer>();

  constructor({ storage, fileStorage, cacheBytes, maxCachedFileBytes, counts }: StoredObjectsOptions) {
    this.#storage = storage;
    this.#fileStorage = fileStorage;
    this.#maxCachedFileBytes = maxCachedFileBytes;
    this.#counts = counts;
    this.#cache = new LRUCache({ maxSize: cacheBytes });
  }

  /** Memory in use. */
  get bytes(): number {
    return this.#cache.calculatedSize;
  }

  /** The listing of an upload's files. */
  listing(uploadId: string): Soon<HeldListing> {
    const key = listingKey(uploadId);
    const cached = this.#cache.get(key);
    if (cached !== undefined && !Buffer.isBuffer(cached)) {
      this.#counts.listings.hits++;
      return cached;
    }
    this.#counts.listings.misses++;
    return this.#listingReads.join(key, async () => {
      const json = await this.#storage.read(key);
      if (json === undefined) throw new ObjectGone(key);
      const parsed = this.#storage.parse(key, json.bytes, listingSchema);
      const listing = new HeldListing(uploadId, parsed);
      const size = ENTRY_BYTES + parsedBytes(json.bytes.length, HEAP_PER_JSON_BYTE, storedFilesOf(parsed));
      this.#cache.set(key, listing, { size });
      return listing;
    });
  }

  /** Whether the gzip is in memory already, or is small enough for the cache. */
  isCacheable({ file, content }: FoundFile): boolean {
    return content !== undefined || file.gzipBytes <= this.#maxCachedFileBytes;
  }

  /** A part of the object. Always a copy: a subarray of a cached object keeps the whole in memory. */
  async readPiece(found: FoundFile, range: ByteRange): Promise<Buffer> {
    const held = found.content === undefined ? this.#cache.get(found.cacheKey) : this.#contentOf(found);
    if (Buffer.isBuffer(held)) return Buffer.from(held.subarray(range.offset, range.offset + range.length));
    const piece = await this.#fileStorage.read(found.key, range);
    if (piece?.objectBytes !== found.file.gzipBytes) throw this.gone(found);
    return piece.bytes;
  }

  /** The whole gzip object. */
  readWhole(found: FoundFile): Soon<Buffer> {
    const { key, cacheKey, file } = found;
    if (found.content !== undefined) {
      this.#counts.files.hits++;
      return this.#contentOf(found);
    }
    const cached = this.#cache.get(cacheKey);
    if (Buffer.isBuffer(cached)) {
      this.#counts.files.hits++;
      return cached;
    }
    this.#counts.files.misses++;
    return this.#fileReads.join(cacheKey, async () => {
      const object = await this.#fileStorage.read(key);
      if (object?.bytes.length !== file.gzipBytes) throw this.gone(found);
      if (this.isCacheable(found))
        this.#cache.set(cacheKey, object.bytes, { size: ENTRY_BYTES + file.gzipBytes });
      return object.bytes;
    });
  }

  /** The bytes that came with the description of a small file. */
  #contentOf(found: FoundFile): Buffer {
    if (found.content == null) throw this.gone(found);
    return found.content;
  }

  /**
   * The error for a file that is gone or damaged. Drops what is cached of it, its listing too. They may be outdated: a
   * rebuild replaces both under their keys.
   */
  gone({ key, cacheKey }: FoundFile, options?: ErrorOptions): ObjectGone {
    this.#cache.delete(cacheKey);
    this.#cache.delete(key.slice(0, key.lastIndexOf('/') + 1) + LISTING_NAME);
    return new ObjectGone(key, options);
  }
}
