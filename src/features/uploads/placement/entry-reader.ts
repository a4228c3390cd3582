/** Reads the hashes of the entries of files. It takes the stored hashes, or makes them from the file. */
import { HASHES_BYTES } from '../../../core/sitemap/kernel-layout.ts';
import {
  DamagedFile,
  type EntriesOfPart,
  EntryKernel,
  type Side,
  type StoredFile,
  WHOLE,
} from '../../entries/entry-kernel.ts';
import { inflateFile } from '../../entries/inflate-file.ts';
import { type FileHashes, hashesRoom, MIN_HASHED_ENTRIES, readFileHashes } from '../../sites/file-hashes.ts';
import type { AskMain, PlaceTask } from './messages.ts';

/** The entries of a file. Only stored hashes have the fragments of the file. */
export type FileEntries = Pick<FileHashes, 'hashes'> &
  Partial<Pick<FileHashes, 'fragments' | 'firstFragmentAt' | 'origin'>>;

/** The number of files that are read at the same time. */
const READ_AHEAD = 3;
/**
 * The most bytes of hashes that are kept. Hashes that were made from a file are kept, because all files are read several times. Stored
 * hashes are kept by `keep`.
 */
const KEPT_BYTES = 8 * 1024 * 1024;

export class EntryReader implements Disposable {
  readonly #task: Pick<PlaceTask, 'seed' | Side>;
  readonly #ask: AskMain;
  readonly #kernel: EntryKernel;
  readonly #kept = new Map<StoredFile, FileEntries>();
  readonly #read = new Map<StoredFile, FileEntries>();
  #keptBytes = 0;
  readonly #memory: ReadMemory;

  /** `kernel` and `memory` serve one reader at a time. */
  constructor(
    task: Pick<PlaceTask, 'seed' | Side>,
    ask: AskMain,
    kernel = new EntryKernel(0),
    memory = new ReadMemory(),
  ) {
    this.#task = task;
    this.#ask = ask;
    this.#kernel = kernel;
    this.#memory = memory;
    this.#kernel.begin(WHOLE, task.seed, false);
  }

  /**
   * Yields the entries of all files of a side, in order, while the next files are already being read. `first` is the number of entries in
   * the files before. When the caller takes the next file, the memory of `entries` is used again.
   */
  async *all(side: Side): AsyncGenerator<{ first: number; entries: FileEntries }, void, undefined> {
    const files: readonly StoredFile[] = this.#task[side];
    const underWay: Promise<FileEntries>[] = [];
    let first = 0;
    for (const [i, file] of files.entries()) {
      for (let next = i + underWay.length; next < files.length && next < i + READ_AHEAD; next++) {
        const reading = this.read(side, files[next]!);
        // The error of a read is thrown where the read is awaited.
        reading.catch(() => {});
        underWay.push(reading);
      }
      const entries = await underWay.shift()!;
      yield { first, entries };
      this.release(entries);
      first += file.entries;
    }
  }

  /** Throws DamagedFile. */
  async read(side: Side, file: StoredFile): Promise<FileEntries> {
    const read = this.#read.get(file);
    if (read !== undefined) {
      this.#read.delete(file);
      this.#keptBytes -= read.hashes.buffer.byteLength;
      return read;
    }
    const stored = file.entries < MIN_HASHED_ENTRIES ? undefined : await this.#readHashes(side, file);
    return stored ?? this.#kept.get(file) ?? (await this.#makeHashes(side, file));
  }

  /** Frees entries that were read. They may be read again. */
  release({ hashes, fragments }: FileEntries): void {
    // Hashes without fragments come from `#makeHashes`, which does not take them from `#memory`.
    if (fragments !== undefined) this.#memory.giveBack(hashes.buffer as SharedArrayBuffer);
  }

  /** Keeps entries for the next `read` of their file, or frees them if there is no room. */
  keep(file: StoredFile, entries: FileEntries): void {
    const bytes = entries.hashes.buffer.byteLength;
    const hasRoom = entries.fragments !== undefined && this.#keptBytes + bytes <= KEPT_BYTES;
    if (!hasRoom) this.release(entries);
    else {
      this.#read.set(file, entries);
      this.#keptBytes += bytes;
    }
  }

  /** Frees the entries that were kept and not read again. */
  [Symbol.dispose](): void {
    for (const entries of this.#read.values()) this.release(entries);
    this.#memory.shrink();
  }

  /** Returns the gzip bytes of a file. Throws DamagedFile. */
  async stored(side: Side, { n }: StoredFile): Promise<Uint8Array> {
    const stored = await this.#ask({ kind: 'read', side, n });
    if (stored === undefined) throw new DamagedFile(`file ${n} of the ${side} upload is missing`);
    return stored;
  }

  /** Returns the entries of a part of a file. Throws DamagedFile if the part does not have `entries` entries. */
  entriesOfPart(xml: Uint8Array, entries: number): EntriesOfPart {
    return this.#kernel.entriesOfPart(xml, entries);
  }

  async #readHashes(side: Side, { n, entries }: StoredFile): Promise<FileEntries | undefined> {
    const into = this.#memory.take(hashesRoom(entries));
    const object = await this.#ask({ kind: 'hashes', side, n, into });
    const hashes = object && readFileHashes(into.subarray(0, object.length), entries);
    if (hashes?.seed === this.#task.seed) return hashes;
    this.#memory.giveBack(into.buffer);
    return undefined;
  }

  async #makeHashes(side: Side, file: StoredFile): Promise<FileEntries> {
    using xml = inflateFile(await this.stored(side, file), file);
    const made = { hashes: this.#kernel.hashesOf({ pieces: [xml.bytes], entries: file.entries }) };
    const bytes = file.entries * HASHES_BYTES;
    if (this.#keptBytes + bytes <= KEPT_BYTES) {
      this.#keptBytes += bytes;
      this.#kept.set(file, made);
    }
    return made;
  }
}

/** The free memory that stays for the next reader. It has room for all that a reader keeps, and for the files that it reads meanwhile. */
const MOST_FREE_BYTES = KEPT_BYTES + 4 * 1024 * 1024;
/** Lengths are rounded up to this, so files of about the same length can use the same memory. */
const UNIT = 64 * 1024;

/**
 * Memory to read into, which is used again: the first touch of fresh memory costs more than reading a file. Memory that both threads have
 * seen is free only after the garbage collectors of both threads have run.
 */
export class ReadMemory {
  readonly #free: SharedArrayBuffer[] = [];

  take(bytes: number): Uint8Array<SharedArrayBuffer> {
    const i = this.#free.findIndex(({ byteLength }) => byteLength >= bytes);
    const [memory = new SharedArrayBuffer(UNIT * Math.ceil(bytes / UNIT))] =
      i < 0 ? [] : this.#free.splice(i, 1);
    return new Uint8Array(memory);
  }

  giveBack(memory: SharedArrayBuffer): void {
    this.#free.push(memory);
  }

  /** Frees memory above MOST_FREE_BYTES, the smallest buffers first: large ones fit more files. */
  shrink(): void {
    this.#free.sort((a, b) => a.byteLength - b.byteLength);
    let bytes = this.#free.reduce((sum, { byteLength }) => sum + byteLength, 0);
    while (bytes > MOST_FREE_BYTES) bytes -= this.#free.shift()!.byteLength;
  }
}
