/**
 * Listings and files: what is small and was asked for lately comes from memory, the rest from storage. What
 * `find-file.ts` names is expected to be there; if it is not, ObjectGone says so.
 */
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { ByteRange, StoredObject } from '../platform/object-storage.ts';
import { SharedCalls } from '../platform/shared-calls.ts';
import { type Listing, listingKey, listingSchema, type StoredFile } from '../sites/site.ts';
import type { Body } from './answer.ts';
import type { GuardedStorage } from './guarded-storage.ts';
import type { HostingCounts } from './hosting-counts.ts';
import { type Soon, whenThere } from './soon.ts';

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
  readonly storage: GuardedStorage;
  readonly cacheBytes: number;
  readonly maxCachedFileBytes: number;
  readonly counts: Pick<HostingCounts, 'listings' | 'files'>;
}

export class StoredObjects {
  readonly #storage: GuardedStorage;
  readonly #maxCachedFileBytes: number;
  readonly #counts: StoredObjectsOptions['counts'];
  readonly #cache: LRUCache<string, Buffer | Listing>;
  readonly #listingReads = new SharedCalls<Listing>();
  readonly #fileReads = new SharedCalls<Buffer>();

  constructor({ storage, cacheBytes, maxCachedFileBytes, counts }: StoredObjectsOptions) {
    this.#storage = storage;
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
      const listing = this.#storage.parse(key, json, listingSchema);
      this.#cache.set(key, listing, { size: ENTRY_BYTES + HEAP_PER_JSON_BYTE * json.length });
      return listing;
    });
  }

  /** A slice of the object as it is stored, gzip. */
  open(found: FoundFile, slice: ByteRange): Soon<Body> {
    if (!this.#isCacheable(found)) {
      this.#counts.files.misses++;
      return this.#openStored(found, slice);
    }
    return whenThere(this.#readWhole(found), (bytes) =>
      bytes.subarray(slice.offset, slice.offset + slice.length),
    );
  }

  async #openStored(found: FoundFile, slice: ByteRange): Promise<Body> {
    const isWhole = slice.length === found.file.gzipBytes;
    const { body } = isWhole ? await this.#openWhole(found) : await this.#openSlice(found, slice);
    return {
      source: body,
      inflate: false,
      totalBytes: slice.length,
      slice: { offset: 0, length: slice.length },
    };
  }

  /** A slice of the XML inside. */
  async openInflated(found: FoundFile, slice: ByteRange): Promise<Body> {
    const source = this.#isCacheable(found)
      ? Readable.from([await this.#readWhole(found)])
      : (await this.#openWhole(found)).body;
    return { source, inflate: true, totalBytes: found.file.bytes, slice };
  }

  #isCacheable({ file }: FoundFile): boolean {
    return file.gzipBytes <= this.#maxCachedFileBytes;
  }

  #readWhole({ key, file }: FoundFile): Soon<Buffer> {
    // With the etag, because a hostname that is deleted and added again counts its generations from 1 again.
    const cacheKey = `${key} ${file.etag}`;
    const cached = this.#cache.get(cacheKey);
    if (Buffer.isBuffer(cached)) {
      this.#counts.files.hits++;
      return cached;
    }
    this.#counts.files.misses++;
    return this.#fileReads.join(cacheKey, async () => {
      const bytes = await this.#storage.read(key);
      if (bytes?.length !== file.gzipBytes) throw this.#gone(key);
      this.#cache.set(cacheKey, bytes, { size: ENTRY_BYTES + bytes.length });
      return bytes;
    });
  }

  async #openWhole({ key, file }: FoundFile): Promise<StoredObject> {
    const object = await this.#storage.open(key);
    if (object?.bytes !== file.gzipBytes) {
      object?.body.destroy();
      throw this.#gone(key);
    }
    return object;
  }

  async #openSlice({ key }: FoundFile, slice: ByteRange): Promise<StoredObject> {
    const object = await this.#storage.open(key, slice);
    if (object === undefined) throw this.#gone(key);
    return object;
  }

  /** What listed it may be as old: a site that was rebuilt, as for another origin, has other indexes and listings. */
  #gone(key: string): ObjectGone {
    this.#cache.delete(key.slice(0, key.lastIndexOf('/') + 1) + LISTING_NAME);
    return new ObjectGone(key);
  }
}
