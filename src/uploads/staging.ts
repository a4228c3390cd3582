/**
 * The files of one upload on their way to object storage, under keys that nobody else uses. At the end of the scope
 * the stored files are deleted, unless `keep` was called. `garbage` lists them from before the first byte, so the sweep
 * deletes what a crash leaves behind.
 */
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { uploadFileKey } from '../sites/site.ts';
import type { CutFile } from './cut-files.ts';

/** File n of its upload, in object storage. */
export interface StagedFile {
  readonly n: number;
  readonly entries: number;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly etag: string;
  /** The make-up of the object, to cut it again. */
  readonly fragments: readonly FragmentSummary[];
}

/** The totals of all files of an upload. */
export interface FileTotals {
  readonly urlCount: number;
  readonly fileCount: number;
  /** Length of the XML. */
  readonly bytes: number;
  /** Length as stored. */
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

/** Limits on concurrent puts: their number, and their bytes, because large files add up. */
export const MAX_PUTS = 16;
const MAX_PUT_BYTES = 32 * 1024 * 1024;

export interface StagingOptions {
  readonly storage: Pick<ObjectStorage, 'putNew' | 'deleteMany'>;
  /** Lists the prefix of the upload as garbage, before anything is written. */
  readonly reserve: (uploadId: string) => Promise<void>;
  /** Takes the prefix off that list. */
  readonly release: (uploadId: string) => Promise<void>;
  readonly onLeftBehind: (error: unknown, uploadId: string) => void;
  /** Lets the deletion go on while the client gets its answer. Without it, the end of the scope waits. */
  readonly inBackground?: (work: Promise<void>) => void;
}

export class Staging implements AsyncDisposable {
  readonly uploadId: string;
  readonly files: StagedFile[] = [];
  readonly #options: StagingOptions;
  readonly #puts = new Set<Promise<void>>();
  #putBytes = 0;
  #failure: { readonly cause: unknown } | undefined;
  #isKept = false;

  private constructor(uploadId: string, options: StagingOptions) {
    this.uploadId = uploadId;
    this.#options = options;
  }

  static async open(uploadId: string, options: StagingOptions): Promise<Staging> {
    await options.reserve(uploadId);
    return new Staging(uploadId, options);
  }

  /** Waits until there is room, then begins to store the file. */
  async add(file: CutFile): Promise<void> {
    while (this.#puts.size > 0 && !this.#hasRoomFor(file.gzipBytes)) await Promise.race(this.#puts);
    this.#throwFailure();
    const n = this.files.length + 1;
    const { entries, bytes, gzipBytes, etag } = file;
    const fragments = file.fragments.map(({ deflated, ...rest }) => ({
      ...rest,
      deflatedBytes: deflated.length,
    }));
    this.files.push({ n, entries, bytes, gzipBytes, etag, fragments });
    this.#putBytes += gzipBytes;
    const put = this.#put(uploadFileKey(this.uploadId, n), file).finally(() => {
      this.#putBytes -= gzipBytes;
      this.#puts.delete(put);
    });
    this.#puts.add(put);
  }

  /** Waits until all files are stored. Throws as soon as one fails. */
  async settle(): Promise<void> {
    while (this.#puts.size > 0 && this.#failure === undefined) await Promise.race(this.#puts);
    this.#throwFailure();
  }

  /** The files stay from now on. Call it just before the COMMIT that publishes them. */
  keep(): void {
    this.#isKept = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isKept) return;
    const discarded = this.#discard();
    if (this.#options.inBackground === undefined) await discarded;
    else this.#options.inBackground(discarded);
  }

  async #discard(): Promise<void> {
    try {
      await Promise.all(this.#puts);
      await this.#options.storage.deleteMany(this.files.map((file) => uploadFileKey(this.uploadId, file.n)));
      // The store may still complete a put that we gave up on. So after a failure the prefix stays for the sweep.
      if (this.#failure === undefined) await this.#options.release(this.uploadId);
    } catch (error) {
      // The sweep deletes the rest. The answer to the client must not depend on it.
      this.#options.onLeftBehind(error, this.uploadId);
    }
  }

  async #put(key: string, file: CutFile): Promise<void> {
    try {
      await this.#options.storage.putNew(key, file.parts);
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
