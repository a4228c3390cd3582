/** Searches files that have no index, for several URLs at once. */
import pMap from 'p-map';
import type { Database } from '../../platform/postgres/database.ts';
import { UnreadableFile } from '../entries/stream-xml.ts';
import { uploadFileKey } from '../sites/site.ts';
import { readSmallFiles, type SmallContents } from '../sites/small-file-store.ts';
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

/**
 * Searches the files. A hit is a file with at least one entry whose hash is that of a URL. Files that are missing or damaged are
 * `unreadable`.
 */
export async function scanFiles(places: FilePlaces, files: readonly IndexedFile[], urls: readonly string[]) {
  const hits: { readonly url: string; readonly file: IndexedFile }[] = [];
  const unreadable: IndexedFile[] = [];
  const wanted = wantedOf(urls);
  for (const portion of portionsOf(files)) {
    const small = await readSmallFiles(places.database, [...new Set(portion.map((file) => file.uploadId))]);
    await pMap(
      portion,
      async (file) => {
        try {
          for (const url of await scanFile(places, file, small, wanted)) hits.push({ url, file });
        } catch (error) {
          if (!(error instanceof UnreadableFile)) throw error;
          unreadable.push(file);
        }
      },
      { concurrency: FILES_AT_ONCE },
    );
  }
  return { hits, unreadable };
}

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

async function scanFile(
  { storage }: FilePlaces,
  file: IndexedFile,
  small: SmallContents,
  wanted: Wanted,
): Promise<Set<string>> {
  const found = new Set<string>();
  const kernel = new LocKernel();
  const content = small.get(uploadFileKey(file.uploadId, file.uploadN));
  for await (const piece of readXml(storage, file, content)) {
    for (const words of kernel.hashes(piece, SEED)) {
      for (let i = 0; i < words.length; i += 2) {
        for (const { high, url } of wanted.get(words[i]!) ?? []) if (high === words[i + 1]) found.add(url);
      }
    }
  }
  return found;
}
