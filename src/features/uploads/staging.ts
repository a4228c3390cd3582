/**
 * Holds the files of one upload until it is published. Small files wait in memory only. The others go to object storage, under
 * keys that no other upload uses. At the end of the scope the stored files are deleted, unless `keep` was called. `garbage`
 * lists them before their first byte is stored, so the sweep deletes the files that a crash leaves behind.
 */
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { uploadFileKey } from '../sites/site.ts';
import { MAX_SMALL_BYTES, SMALL_FILE_BYTES } from '../sites/small-files.ts';
import type { CutFile } from './cut-files.ts';
import type { Fragment } from './fragment.ts';

/** File n of its upload. It is an object, unless it has `content`. */
export interface StagedFile {
  readonly n: number;
  readonly entries: number;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly etag: string;
  /** The fragments of the object, from which files can be cut again. */
  readonly fragments: readonly FragmentSummary[];
  /** The gzip bytes of a small file, which has no object (`features/sites/small-files.ts`). */
  readonly content?: Buffer;
}

/** The totals of all files of an upload. */
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

/** A fragment, with the length of its bytes in place of the bytes. */
interface FragmentSummary {
  readonly deflatedBytes: number;
  readonly bytes: number;
  readonly crc: number;
  readonly entries: number;
  readonly newsEntries: number;
  readonly namespaces: number;
}

/** The limits on concurrent puts: their number, and their bytes, because large files add up. */
export const MAX_PUTS = 16;
const MAX_PUT_BYTES = 32 * 1024 * 1024;

export interface StagingOptions {
  readonly storage: Pick<ObjectStorage, 'putNew' | 'deleteMany'>;
  /** Lists the prefix of the upload as garbage, before its first object is written. */
  readonly reserve: (uploadId: string) => Promise<void>;
  /** Removes the prefix from that list. */
  readonly release: (uploadId: string) => Promise<void>;
  readonly onLeftBehind: (error: unknown, uploadId: string) => void;
  /**
   * Lets the deletion continue while the client gets its answer. Without it, the end of the scope waits for the
   * deletion.
   */
  readonly inBackground?: (work: Promise<void>) => void;
}

export class Staging implements AsyncDisposable {
  readonly uploadId: string;
  readonly files: StagedFile[] = [];
  readonly #options: StagingOptions;
  readonly #puts = new Set<Promise<void>>();
  #putBytes = 0;
  /** The bytes of files in memory, including files that were stored later. */
  #smallBytes = 0;
  #hasObjects = false;
  #failure: { readonly cause: unknown } | undefined;
  #isKept = false;

  constructor(uploadId: string, options: StagingOptions) {
    this.uploadId = uploadId;
    this.#options = options;
  }

  /**
   * Whether object storage may have files of the upload. Then the prefix is in `garbage` until the upload is
   * published.
   */
  get hasObjects(): boolean {
    return this.#hasObjects;
  }

  /** Keeps a small file in memory. Begins to store any other file, when there is room for another put. */
  async add(file: CutFile): Promise<void> {
    const { parts, entries, bytes, gzipBytes, etag } = file;
    const isSmall = gzipBytes <= SMALL_FILE_BYTES && this.#smallBytes + gzipBytes <= MAX_SMALL_BYTES;
    const n = this.files.length + 1;
    const fragments = file.fragments.map(({ deflated, ...rest }) => ({
      ...rest,
      deflatedBytes: deflated.length,
    }));
    const summary = { n, entries, bytes, gzipBytes, etag, fragments };
    if (isSmall) {
      this.#smallBytes += gzipBytes;
      this.files.push({ ...summary, content: Buffer.concat(parts, gzipBytes) });
    } else {
      await this.#prepareToStore(gzipBytes);
      this.files.push(summary);
      this.#store(summary, parts, file.fragments);
    }
  }

  /** Stores the small files too, and waits until all files are stored. Throws as soon as one fails. */
  async storeAll(): Promise<void> {
    for (const [i, { content, ...file }] of this.files.entries()) {
      if (content === undefined) continue;
      await this.#prepareToStore(content.length);
      this.files[i] = file;
      this.#store(file, [content]);
    }
    await this.settle();
  }

  /** Waits until all files are stored. Throws as soon as one fails. */
  async settle(): Promise<void> {
    while (this.#puts.size > 0 && this.#failure === undefined) await Promise.race(this.#puts);
    this.#throwFailure();
  }

  /** Keeps the files from now on. Call this just before the COMMIT that publishes them. */
  keep(): void {
    this.#isKept = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isKept || !this.#hasObjects) return;
    const discarded = this.#discard();
    if (this.#options.inBackground === undefined) await discarded;
    else this.#options.inBackground(discarded);
  }

  async #discard(): Promise<void> {
    try {
      await Promise.all(this.#puts);
      const objects = this.files.filter(({ content }) => content === undefined);
      await this.#options.storage.deleteMany(objects.map(({ n }) => uploadFileKey(this.uploadId, n)));
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
    if (this.#hasObjects) return;
    await this.#options.reserve(this.uploadId);
    this.#hasObjects = true;
  }

  #store(
    { n, gzipBytes }: StagedFile,
    parts: readonly Uint8Array[],
    fragments: readonly Fragment[] = [],
  ): void {
    this.#putBytes += gzipBytes;
    const put = this.#put(uploadFileKey(this.uploadId, n), parts, fragments).finally(() => {
      this.#putBytes -= gzipBytes;
      this.#puts.delete(put);
    });
    this.#puts.add(put);
  }

  async #put(key: string, parts: readonly Uint8Array[], fragments: readonly Fragment[]): Promise<void> {
    try {
      await this.#options.storage.putNew(key, parts);
      // After a failure the bytes must stay, because the store may still read them.
      freeFragments(fragments);
    } catch (cause) {
      this.#failure ??= { cause };
    }
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#puts.size < MAX_PUTS && this.#putBytes + bytes <= MAX_PUT_BYTES;
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw new Error('a file could not be stored', this.#failure);
  }
}

/**
 * Frees the bytes of stored fragments at once. The garbage collector sees only a few small objects and comes late,
 * while 40 MB of fragments wait (docs/decisions/0039).
 */
function freeFragments(fragments: readonly Fragment[]): void {
  for (const { deflated } of fragments) {
    // Fragments that were read from a file are views of its bytes.
    if (deflated.byteLength === deflated.buffer.byteLength) deflated.buffer.transfer(0);
  }
}
