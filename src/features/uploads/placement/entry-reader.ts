/** Reads files as the hashes of their entries: as they are stored, or made from the file. */
import { HASHES_BYTES } from '../../../core/sitemap/kernel-layout.ts';
import { DamagedFile, EntryKernel, type Side, type StoredFile, WHOLE } from '../../entries/entry-kernel.ts';
import { inflateFile } from '../../entries/inflate-file.ts';
import { type FileHashes, MIN_HASHED_ENTRIES, readFileHashes } from '../../sites/file-hashes.ts';
import type { AskMain, PlaceTask } from './messages.ts';

/** The entries of a file. Only stored hashes have the fragments of the file. `origin` is that of all entries, if they have the same. */
export type FileEntries = Pick<FileHashes, 'hashes'> &
  Partial<Pick<FileHashes, 'fragments' | 'firstFragmentAt' | 'origin'>>;

export interface ReadEntries {
  /** The number of entries in the files before it. */
  readonly first: number;
  readonly entries: FileEntries;
}

const READ_AHEAD = 3;
/** Hashes that were made are kept up to this size, because all files are read several times. */
const KEPT_BYTES = 16 * 1024 * 1024;

export class EntryReader {
  readonly #task: Pick<PlaceTask, 'seed' | Side>;
  readonly #ask: AskMain;
  readonly #kernel = new EntryKernel(0);
  readonly #kept = new Map<StoredFile, FileEntries>();
  #keptBytes = 0;
  readonly #origins: Record<Side, Set<string | undefined>> = { former: new Set(), live: new Set() };

  constructor(task: Pick<PlaceTask, 'seed' | Side>, ask: AskMain) {
    this.#task = task;
    this.#ask = ask;
  }

  /** Yields the entries of all files of a side, in order, while the next files are already being read. */
  async *all(side: Side): AsyncGenerator<ReadEntries, void, undefined> {
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
      yield { first, entries: await underWay.shift()! };
      first += file.entries;
    }
  }

  /** Throws DamagedFile. */
  async read(side: Side, file: StoredFile): Promise<FileEntries> {
    const stored = file.entries < MIN_HASHED_ENTRIES ? undefined : await this.#readHashes(side, file);
    const entries = stored ?? this.#kept.get(file) ?? (await this.#makeHashes(side, file));
    this.#origins[side].add(entries.origin);
    return entries;
  }

  /** Returns the origin of all entries of a side whose files were all read, if they have the same. */
  originOf(side: Side): string | undefined {
    const [origin, ...others] = this.#origins[side];
    return others.length === 0 ? origin : undefined;
  }

  /** Returns the gzip bytes of a file. Throws DamagedFile. */
  async stored(side: Side, { n }: StoredFile): Promise<Uint8Array> {
    const stored = await this.#ask({ kind: 'read', side, n });
    if (stored === undefined) throw new DamagedFile(`file ${n} of the ${side} upload is missing`);
    return stored;
  }

  /** Returns the hashes of entries that are a part of a file. Throws DamagedFile if it has another number of entries. */
  hashesOfPart(xml: Uint8Array, entries: number): Uint8Array<ArrayBuffer> {
    this.#kernel.begin(WHOLE, this.#task.seed, false);
    return this.#kernel.hashesOfPart(xml, entries);
  }

  async #readHashes(side: Side, { n, entries }: StoredFile): Promise<FileEntries | undefined> {
    const object = await this.#ask({ kind: 'hashes', side, n });
    if (object === undefined) return undefined;
    const { buffer, byteOffset, byteLength } = object;
    const hashes = readFileHashes(Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength), entries);
    return hashes?.seed === this.#task.seed ? hashes : undefined;
  }

  async #makeHashes(side: Side, file: StoredFile): Promise<FileEntries> {
    using xml = inflateFile(await this.stored(side, file), file);
    this.#kernel.begin(WHOLE, this.#task.seed, true);
    const hashes = this.#kernel.hashesOf({ pieces: [xml.bytes], entries: file.entries });
    const [origin, ...others] = this.#kernel.takeOrigins().keys();
    const made = { hashes, ...(origin !== undefined && others.length === 0 && { origin }) };
    const bytes = file.entries * HASHES_BYTES;
    if (this.#keptBytes + bytes <= KEPT_BYTES) {
      this.#keptBytes += bytes;
      this.#kept.set(file, made);
    }
    return made;
  }
}
