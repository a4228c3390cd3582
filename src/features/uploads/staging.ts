/**
 * Holds the files of one upload until it is published. Small files wait in memory only. Other files go to object storage, under keys that
 * no other upload uses. At the end of the scope the stored files are deleted, unless `keep` was called. Their prefix is in `garbage` before
 * their first byte is stored, so the sweep deletes files that a crash leaves behind.
 */
import { freeBytes } from '../../platform/free-bytes.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import type { CutFile } from '../sites/cut-files.ts';
import { type Fragment, type FragmentPlace, placeOfFragment } from '../sites/fragment.ts';
import { fileHashesKey, uploadFileKey } from '../sites/site.ts';
import { MAX_SMALL_BYTES, SMALL_FILE_BYTES } from '../sites/small-files.ts';
import type { PlacedFile } from './placement/messages.ts';
import { hashesOf } from './staged-hashes.ts';
import { LARGE_FILE_BYTES, type StagingRoom } from './staging-room.ts';

/**
 * A file of an upload. `n` is its number in the keys of the upload, which may differ from its position in the sitemap. The file is an
 * object, unless it has `content`.
 */
export interface StagedFile {
  readonly n: number;
  readonly entries: number;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly etag: string;
  /** The fragments of the file, from which files can be cut again. Empty for a placed file. */
  readonly fragments: readonly FragmentPlace[];
  /** The gzip bytes of a small file. Such a file has no object (`features/sites/small-files.ts`). */
  readonly content?: Buffer;
}

export interface FileTotals {
  readonly urlCount: number;
  readonly fileCount: number;
  /** The length of the XML. */
  readonly bytes: number;
  /** The length as stored. */
  readonly gzipBytes: number;
}

export function sumFiles(files: readonly StagedFile[]): FileTotals {
  const totals = { urlCount: 0, fileCount: files.length, bytes: 0, gzipBytes: 0 };
  for (const { entries, bytes, gzipBytes } of files) {
    totals.urlCount += entries;
    totals.bytes += bytes;
    totals.gzipBytes += gzipBytes;
  }
  return totals;
}

/** The limits on concurrent puts: their number, and their bytes, because large files add up. */
export const MAX_PUTS = 16;
const MAX_PUT_BYTES = 32 * 1024 * 1024;

export interface StagingOptions {
  /** The seed of the hashes of entries. */
  readonly hashSeed: bigint;
  readonly accountId: string;
  /** All stagings of the process share it. */
  readonly room: StagingRoom;
  readonly storage: Pick<ObjectStorage, 'putNew' | 'deleteMany'>;
  /** Lists the prefix of the upload as garbage, before its first object is written. */
  readonly reserve: (uploadId: string) => Promise<void>;
  /** Removes the prefix from `garbage`. */
  readonly release: (uploadId: string) => Promise<void>;
  readonly onLeftBehind: (error: unknown, uploadId: string) => void;
  /**
   * Returns the number of the next file, for an upload with several stagings. All files of such a staging become objects, and its first
   * file also gets hashes. If `nextNumber` is absent, numbers rise from 1.
   */
  readonly nextNumber?: (() => Promise<number>) | undefined;
  /** Lets the deletion continue while the client gets its answer. If it is absent, the end of the scope waits for the deletion. */
  readonly inBackground?: (work: Promise<void>) => void;
}

export class Staging implements AsyncDisposable {
  readonly uploadId: string;
  readonly files: StagedFile[] = [];
  readonly #options: StagingOptions;
  readonly #puts = new Set<Promise<void>>();
  #putBytes = 0;
  /** The bytes of the fragments of the next file. */
  #growing = 0;
  /** The place of the next file, once it is large. */
  #place: Promise<() => void> | undefined;
  /** The bytes of files in memory, including files that were stored later. */
  #smallBytes = 0;
  #isReserved = false;
  #hasAdopted = false;
  #lastNumber = 0;
  /** The keys of all objects that are stored, or that a put may have stored. */
  readonly #keys: string[] = [];
  /** The hashes of the first stored file. They are of use only if another file follows. */
  #firstHashes: { readonly key: string; readonly parts: readonly Uint8Array[] } | undefined;
  #failure: { readonly cause: unknown } | undefined;
  #isKept = false;

  constructor(uploadId: string, options: StagingOptions) {
    this.uploadId = uploadId;
    this.#options = options;
  }

  /** Whether object storage may have files of the upload. If so, the prefix of the upload is in `garbage` until its publication. */
  get hasObjects(): boolean {
    return this.#isReserved || this.#hasAdopted;
  }

  /** Takes files that other stagings of the upload have stored. These files stay if this staging is discarded. */
  adopt(files: readonly StagedFile[]): void {
    for (const file of files) this.files.push(file);
    this.#hasAdopted = true;
  }

  /** Takes note of a fragment of the next file. Waits for a place once this file is large. */
  async grow({ deflated, hashes }: Fragment): Promise<void> {
    this.#growing += deflated.length + (hashes?.length ?? 0);
    if (this.#growing <= LARGE_FILE_BYTES) return;
    const { room, accountId } = this.#options;
    this.#place ??= room.takePlace(accountId);
    await this.#place;
  }

  /** Keeps a small file in memory. Begins to store any other file, when there is room for another put. */
  async add(file: CutFile): Promise<void> {
    const { parts, entries, bytes, gzipBytes, etag } = file;
    const isSmall = this.#takesSmall(gzipBytes);
    const n = await this.#nextNumber();
    const fragments = file.fragments.map(placeOfFragment);
    const summary = { n, entries, bytes, gzipBytes, etag, fragments };
    const hashes = isSmall ? undefined : hashesOf(file, this.#options.hashSeed);
    if (hashes === undefined) free(file.fragments.flatMap((fragment) => fragment.hashes ?? []));
    if (isSmall) {
      this.files.push({ ...summary, content: Buffer.concat(parts, gzipBytes) });
      return;
    }
    await this.#prepareToStore(gzipBytes);
    this.files.push(summary);
    const put = this.#store(
      uploadFileKey(this.uploadId, n),
      parts,
      file.fragments.map(({ deflated }) => deflated),
    );
    this.#endGrowth(put);
    if (hashes !== undefined) await this.#addHashes(fileHashesKey(this.uploadId, n), hashes);
  }

  /** Takes a complete file of a placement, with the hashes of its entries. `mayBeSmall`: see `hasRoomForSmall`. */
  async addPlaced({ content, hashes, ...summary }: PlacedFile, mayBeSmall: boolean): Promise<void> {
    const n = await this.#nextNumber();
    const file = { ...summary, n, gzipBytes: content.length, fragments: [] };
    if (mayBeSmall && this.#takesSmall(content.length)) {
      this.files.push({ ...file, content: Buffer.from(content) });
      return;
    }
    await this.#prepareToStore(content.length);
    this.files.push(file);
    void this.#store(uploadFileKey(this.uploadId, n), [content], [content]);
    if (hashes !== undefined) await this.#storeHashes(fileHashesKey(this.uploadId, n), [hashes]);
  }

  /** Gives the place back after the put. */
  #endGrowth(put?: Promise<void>): void {
    const place = this.#place;
    this.#growing = 0;
    this.#place = undefined;
    if (place !== undefined) void Promise.all([place, put]).then(([giveBack]) => giveBack());
  }

  async #nextNumber(): Promise<number> {
    return this.#options.nextNumber === undefined ? ++this.#lastNumber : this.#options.nextNumber();
  }

  /** Returns whether a file waits in memory. If so, counts its bytes. */
  #takesSmall(gzipBytes: number): boolean {
    if (this.#options.nextNumber !== undefined) return false;
    const isSmall = gzipBytes <= SMALL_FILE_BYTES && this.#smallBytes + gzipBytes <= MAX_SMALL_BYTES;
    if (isSmall) this.#smallBytes += gzipBytes;
    return isSmall;
  }

  async #addHashes(key: string, parts: readonly Uint8Array[]): Promise<void> {
    const isFirst = this.files.length === 1 && this.#options.nextNumber === undefined;
    if (isFirst) this.#firstHashes = { key, parts };
    else {
      const first = this.#firstHashes;
      this.#firstHashes = undefined;
      if (first !== undefined) await this.#storeHashes(first.key, first.parts);
      await this.#storeHashes(key, parts);
    }
  }

  async #storeHashes(key: string, parts: readonly Uint8Array[]): Promise<void> {
    await this.#prepareToStore(sumLengths(parts));
    void this.#store(key, parts, parts);
  }

  /** Stores the small files too, and waits until all files are stored. Throws as soon as a put fails. */
  async storeAll(): Promise<void> {
    for (const [i, { content, ...file }] of this.files.entries()) {
      if (content === undefined) continue;
      await this.#prepareToStore(content.length);
      this.files[i] = file;
      void this.#store(uploadFileKey(this.uploadId, file.n), [content]);
    }
    await this.settle();
  }

  /** Waits until all files are stored. Throws as soon as a put fails. */
  async settle(): Promise<void> {
    while (this.#puts.size > 0 && this.#failure === undefined) await Promise.race(this.#puts);
    this.#throwFailure();
  }

  /** Keeps the files from now on. Call this just before the COMMIT that publishes them. */
  keep(): void {
    this.#isKept = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#endGrowth();
    if (this.#isKept || !this.#isReserved) return;
    const discarded = this.#discard();
    if (this.#options.inBackground === undefined) await discarded;
    else this.#options.inBackground(discarded);
  }

  async #discard(): Promise<void> {
    try {
      await Promise.all(this.#puts);
      await this.#options.storage.deleteMany(this.#keys);
      // The store may still complete a put that timed out. So after a failure the prefix stays in `garbage` for the
      // sweep.
      if (this.#failure === undefined) await this.#options.release(this.uploadId);
    } catch (error) {
      // The sweep deletes the rest. The answer to the client must not depend on this deletion.
      this.#options.onLeftBehind(error, this.uploadId);
    }
  }

  async #prepareToStore(bytes: number): Promise<void> {
    while (this.#puts.size > 0 && !this.#hasRoomFor(bytes)) await Promise.race(this.#puts);
    this.#throwFailure();
    if (this.#isReserved) return;
    await this.#options.reserve(this.uploadId);
    this.#isReserved = true;
  }

  /** `freed`: bytes whose memory is freed when the object is stored. */
  #store(key: string, parts: readonly Uint8Array[], freed: readonly Uint8Array[] = []): Promise<void> {
    const bytes = sumLengths(parts);
    const { room } = this.#options;
    this.#putBytes += bytes;
    room.putBytes += bytes;
    this.#keys.push(key);
    const put = this.#put(key, parts, freed).finally(() => {
      this.#putBytes -= bytes;
      room.putBytes -= bytes;
      this.#puts.delete(put);
    });
    this.#puts.add(put);
    return put;
  }

  async #put(key: string, parts: readonly Uint8Array[], freed: readonly Uint8Array[]): Promise<void> {
    try {
      await this.#options.storage.putNew(key, parts);
      // Free the bytes only after a success: after a failure, the store may still read them.
      free(freed);
    } catch (cause) {
      this.#failure ??= { cause };
    }
  }

  #hasRoomFor(bytes: number): boolean {
    const isWithin = this.#puts.size < MAX_PUTS && this.#putBytes + bytes <= MAX_PUT_BYTES;
    return isWithin && this.#options.room.hasRoomForPut(bytes);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw new Error('a file could not be stored', this.#failure);
  }
}

function sumLengths(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/**
 * Frees stored fragments, of which 40 MB may wait for the garbage collector (docs/decisions/0039). Fragments that were read from a file are
 * views of the bytes of the file, and stay.
 */
function free(parts: readonly Uint8Array[]): void {
  for (const part of parts) freeBytes(part);
}
