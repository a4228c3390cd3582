/**
 * The files of one upload on their way to object storage, under keys that no one else uses. Whatever was
 * stored is deleted at the end of the scope unless `keep` was called; what a crash leaves behind is listed in
 * `garbage` from before the first byte, and swept.
 */
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { uploadFileKey } from '../sites/site.ts';
import type { CutFile } from './cut-files.ts';

/** A file in object storage; file n of its upload. */
export interface StagedFile {
  readonly n: number;
  readonly entries: number;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly etag: string;
  /** How the object is made up, for cutting it again. */
  readonly fragments: readonly FragmentSummary[];
}

/** A fragment without its bytes, of which only the length remains. */
interface FragmentSummary {
  readonly deflatedBytes: number;
  readonly bytes: number;
  readonly crc: number;
  readonly entries: number;
  readonly newsEntries: number;
  readonly namespaces: number;
}

/** How many files are under way at once, and how many bytes of them: large files must not add up. */
export const MAX_PUTS = 16;
const MAX_PUT_BYTES = 32 * 1024 * 1024;

export interface StagingOptions {
  readonly storage: Pick<ObjectStorage, 'putNew' | 'deleteMany'>;
  /** Lists the upload's prefix as garbage before anything is written, and takes it out again. */
  readonly reserve: (uploadId: string) => Promise<void>;
  readonly release: (uploadId: string) => Promise<void>;
  readonly onLeftBehind: (error: unknown, uploadId: string) => void;
  /** Lets the deletion go on while the client gets its answer; without it, the end of the scope waits for it. */
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

  /** Begins to store the next file; resolves when there is room for another one. */
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

  /** Waits until everything is stored, or anything is not. */
  async settle(): Promise<void> {
    while (this.#puts.size > 0 && this.#failure === undefined) await Promise.race(this.#puts);
    this.#throwFailure();
  }

  /** From now on the files stay. To be called just before the COMMIT that publishes them. */
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
      // What failed may be stored yet, by a store that was given up on: then the sweep looks again.
      if (this.#failure === undefined) await this.#options.release(this.uploadId);
    } catch (error) {
      // The sweep deletes what is left; the answer to the client must not depend on it.
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
