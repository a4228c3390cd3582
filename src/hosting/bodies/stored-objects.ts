/**
 * Listings and files: small, recent ones from memory, the rest from storage. Every object that `find-file.ts` names
 * must exist. ObjectGone means that one does not.
 */
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../../platform/concurrency/single-flight.ts';
import type { ByteRange } from '../../platform/storage/object-storage.ts';
import { type Listing, listingKey, listingSchema, type StoredFile } from '../../sites/site.ts';
import type { HostingCounts } from '../hosting-counts.ts';
import type { GuardedStorage } from '../lookup/guarded-storage.ts';
import type { Soon } from './soon.ts';

/** A stored file and where it is. */
export interface FoundFile {
  readonly key: string;
  readonly file: StoredFile;
}

/** An object that `site.json` or a listing names is gone, or does not match its description. */
export class ObjectGone extends Error {
  override readonly name = 'ObjectGone';
}

/** Measured: a parsed listing of 20,000 files takes 2.1 times the size of its JSON. */
const HEAP_PER_JSON_BYTE = 2;
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
  readonly #cache: LRUCache<string, Buffer | Listing>;
  readonly #listingReads = new SingleFlight<Listing>();
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
  listing(uploadId: string): Soon<Listing> {
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
      const listing = this.#storage.parse(key, json.bytes, listingSchema);
      this.#cache.set(key, listing, { size: ENTRY_BYTES + HEAP_PER_JSON_BYTE * json.bytes.length });
      return listing;
    });
  }

  /** Whether the gzip object is small enough for the cache. */
  isCacheable({ file }: FoundFile): boolean {
    return file.gzipBytes <= this.#maxCachedFileBytes;
  }

  /** A part of the object. Always a copy: a subarray of a cached object keeps the whole in memory. */
  async readPiece(found: FoundFile, range: ByteRange): Promise<Buffer> {
    const cached = this.#cache.get(cacheKeyOf(found));
    if (Buffer.isBuffer(cached))
      return Buffer.from(cached.subarray(range.offset, range.offset + range.length));
    const piece = await this.#fileStorage.read(found.key, range);
    if (piece?.objectBytes !== found.file.gzipBytes) throw this.#gone(found.key);
    return piece.bytes;
  }

  /** The whole gzip object. */
  readWhole(found: FoundFile): Soon<Buffer> {
    const { key, file } = found;
    const cacheKey = cacheKeyOf(found);
    const cached = this.#cache.get(cacheKey);
    if (Buffer.isBuffer(cached)) {
      this.#counts.files.hits++;
      return cached;
    }
    this.#counts.files.misses++;
    return this.#fileReads.join(cacheKey, async () => {
      const object = await this.#fileStorage.read(key);
      if (object?.bytes.length !== file.gzipBytes) throw this.#gone(key);
      if (this.isCacheable(found))
        this.#cache.set(cacheKey, object.bytes, { size: ENTRY_BYTES + file.gzipBytes });
      return object.bytes;
    });
  }

  /** Also drops the cached listing. It may be outdated too: a rebuild for another origin replaces both. */
  #gone(key: string): ObjectGone {
    this.#cache.delete(key.slice(0, key.lastIndexOf('/') + 1) + LISTING_NAME);
    return new ObjectGone(key);
  }
}

/**
 * With the etag, because an index can be replaced under its key. `site rebuild` writes an upload's index again, with
 * another origin if PUBLIC_ORIGIN changed. A database restored from a backup repeats generations, and with them the
 * keys of domain indexes.
 */
function cacheKeyOf({ key, file }: FoundFile): string {
  return `${key} ${file.etag}`;
}
