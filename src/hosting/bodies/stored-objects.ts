/**
 * Listings and files: what is small and was asked for lately comes from memory, the rest from storage. What
 * `find-file.ts` names is expected to be there; if it is not, ObjectGone says so.
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

/** An object that `site.json` or a listing names has gone, or is not the one that they describe. */
export class ObjectGone extends Error {
  override readonly name = 'ObjectGone';
}

/** Measured: a listing of 20,000 files takes 2.1 times its JSON as objects. */
const HEAP_PER_JSON_BYTE = 2;
const LISTING_NAME = listingKey('').split('/').at(-1)!;
/** For the key and the cache's own bookkeeping. */
const ENTRY_BYTES = 500;

export interface StoredObjectsOptions {
  /** For listings: small reads that never wait behind those of files. */
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

  /** What the files of an upload are. */
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

  /** Whether the object, gzip, is small enough to be kept whole in memory. */
  isCacheable({ file }: FoundFile): boolean {
    return file.gzipBytes <= this.#maxCachedFileBytes;
  }

  /** A part of the object. It belongs to its reader: a part of a cached one would keep the whole. */
  async readPiece(found: FoundFile, range: ByteRange): Promise<Buffer> {
    const cached = this.#cache.get(cacheKeyOf(found));
    if (Buffer.isBuffer(cached))
      return Buffer.from(cached.subarray(range.offset, range.offset + range.length));
    const piece = await this.#fileStorage.read(found.key, range);
    if (piece?.objectBytes !== found.file.gzipBytes) throw this.#gone(found.key);
    return piece.bytes;
  }

  /** The object, gzip. */
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

  /** What listed it may be as old: a site that was rebuilt, as for another origin, has other indexes and listings. */
  #gone(key: string): ObjectGone {
    this.#cache.delete(key.slice(0, key.lastIndexOf('/') + 1) + LISTING_NAME);
    return new ObjectGone(key);
  }
}

/** With the etag, because a hostname that is deleted and added again counts its generations from 1 again. */
function cacheKeyOf({ key, file }: FoundFile): string {
  return `${key} ${file.etag}`;
}
