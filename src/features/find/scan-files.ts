/** Searches files that have no index, for several URLs at once. */
import pMap from 'p-map';
import type { Database } from '../../platform/postgres/database.ts';
import { UnreadableFile } from '../entries/stream-xml.ts';
import { uploadFileKey } from '../sites/site.ts';
import { readSmallFiles } from '../sites/small-file-store.ts';
import type { IndexedFile } from './index-store.ts';
import { LocKernel } from './loc-kernel.ts';
import { type ReadStorage, readXml } from './stored-files.ts';

export interface FilePlaces {
  readonly database: Database;
  readonly storage: ReadStorage;
}

/** These hashes are not stored, so any seed will do. */
const SEED = 0n;
const FILES_AT_ONCE = 4;
/** The small files of this many uploads are in memory at once, at most 64 KiB of each upload. */
const UPLOADS_AT_ONCE = 100;

/** Searches files for the same URLs. Searches each file once, however often it is asked, because a file never changes. */
export class FileScanner {
  readonly #places: FilePlaces;
  readonly #wanted: Wanted;
  /** The URLs that each searched file seems to have. Null: the file is missing or damaged. */
  readonly #found = new Map<string, ReadonlySet<string> | null>();
  /** Instances of WebAssembly that no file uses. Making one for each file costs as much as to inflate a file of 1,000 entries. */
  readonly #kernels: LocKernel[] = [];

  constructor(places: FilePlaces, urls: readonly string[]) {
    this.#places = places;
    this.#wanted = wantedOf(urls);
  }

  /**
   * A hit is a file with at least one entry whose hash is that of a URL. Files that are missing or damaged are `unreadable`.
   */
  async scan(files: readonly IndexedFile[]) {
    const unknown = files.filter((file) => !this.#found.has(keyOf(file)));
    for (const portion of portionsOf(unknown)) {
      const uploadIds = [...new Set(portion.map((file) => file.uploadId))];
      const small = await readSmallFiles(this.#places.database, uploadIds);
      const scanFile = async (file: IndexedFile) => {
        this.#found.set(keyOf(file), await this.#scanFile(file, small.get(keyOf(file))));
      };
      await pMap(portion, scanFile, { concurrency: FILES_AT_ONCE });
    }
    const foundIn = (file: IndexedFile) => this.#found.get(keyOf(file));
    return {
      hits: files.flatMap((file) => Array.from(foundIn(file) ?? [], (url) => ({ url, file }))),
      unreadable: files.filter((file) => foundIn(file) === null),
    };
  }

  async #scanFile(file: IndexedFile, small: Buffer | undefined): Promise<Set<string> | null> {
    const found = new Set<string>();
    const kernel = this.#kernels.pop() ?? new LocKernel();
    kernel.begin();
    try {
      for await (const piece of readXml(this.#places.storage, file, small)) {
        for (const words of kernel.hashes(piece, SEED)) {
          for (let i = 0; i < words.length; i += 2) {
            for (const { high, url } of this.#wanted.get(words[i]!) ?? []) {
              if (high === words[i + 1]) found.add(url);
            }
          }
        }
      }
      return found;
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      return null;
    } finally {
      this.#kernels.push(kernel);
    }
  }
}

const keyOf = ({ uploadId, uploadN }: IndexedFile) => uploadFileKey(uploadId, uploadN);

function* portionsOf(files: readonly IndexedFile[]): Generator<IndexedFile[]> {
  const byUpload = [...Map.groupBy(files, (file) => file.uploadId).values()];
  for (let i = 0; i < byUpload.length; i += UPLOADS_AT_ONCE)
    yield byUpload.slice(i, i + UPLOADS_AT_ONCE).flat();
}

/** The URLs by the lower words of their hashes. */
type Wanted = ReadonlyMap<number, readonly { readonly high: number; readonly url: string }[]>;

function wantedOf(urls: readonly string[]): Wanted {
  const kernel = new LocKernel();
  const words = urls.map((url) => {
    const hash = kernel.hashOf(url, SEED);
    return { low: Number(hash & 0xffffffffn), high: Number(hash >> 32n), url };
  });
  return Map.groupBy(words, ({ low }) => low);
}
