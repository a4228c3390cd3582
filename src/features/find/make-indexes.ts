/** Indexes the URLs of a sitemap's files. Reads the stored hashes of a file's entries, or the file itself if it has no hashes. */
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HASHES_BYTES } from '../../core/sitemap/kernel-layout.ts';
import { randomText } from '../../platform/ids.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { ObjectStorage } from '../../platform/storage/object-storage.ts';
import { free } from '../entries/inflate-file.ts';
import { UnreadableFile } from '../entries/stream-xml.ts';
import { uploadFileKey, urlIndexKey } from '../sites/site.ts';
import { readSmallFiles, type SmallContents } from '../sites/small-file-store.ts';
import { MIN_INDEXED_ENTRIES } from '../sites/url-indexes.ts';
import { IndexBuilder } from './index-builder.ts';
import {
  type DueIndex,
  endIndex,
  type IndexedFile,
  insertUrlIndex,
  listFilesToIndex,
  renewIndex,
  reserveIndex,
} from './index-store.ts';
import { LocKernel } from './loc-kernel.ts';
import { findFileHashes, placesOf, readXml } from './stored-files.ts';
import { MAX_PLACES } from './url-index.ts';

export interface MakeIndexesOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get' | 'head' | 'putNew'>;
  /** The most entries of an index. */
  readonly maxEntries?: number;
}

/** An index of 4 million entries is an object of 16 MB, and takes 25 MB while it is made. */
const MAX_ENTRIES = 4_000_000;
/** The most files of an index. Each file takes at least one place. The other places are for the fragments of files. */
const MAX_FILES = MAX_PLACES / 2;

/**
 * Makes the indexes that an upload needs. If deltas come meanwhile, their files are indexed after the lease. Throws LeaseLost, or the reason
 * of `ending`. After an error, finished indexes stay.
 */
export async function makeIndexes(
  options: MakeIndexesOptions,
  due: DueIndex,
  ending: AbortSignal,
): Promise<void> {
  const { database, maxEntries = MAX_ENTRIES } = options;
  let lease = due;
  const files = await listFilesToIndex(database, due.uploadId);
  for (const [uploadId, ofUpload] of Map.groupBy(files, (file) => file.uploadId)) {
    // Look-ups read a few files of an older upload faster than another index.
    if (sumOf(ofUpload) < MIN_INDEXED_ENTRIES) continue;
    const small = await readSmallFiles(database, [uploadId]);
    for (const portion of portionsOf(ofUpload, maxEntries)) {
      ending.throwIfAborted();
      await makeIndex(options, uploadId, portion, small);
      lease = await renewIndex(database, lease);
    }
  }
  if (lease.uploadId === due.uploadId) await endIndex(database, lease);
}

function* portionsOf(files: readonly IndexedFile[], maxEntries: number): Generator<IndexedFile[]> {
  let portion: IndexedFile[] = [];
  let entries = 0;
  for (const file of files) {
    if (portion.length > 0 && (entries + file.entries > maxEntries || portion.length === MAX_FILES)) {
      yield portion;
      portion = [];
      entries = 0;
    }
    portion.push(file);
    entries += file.entries;
  }
  if (portion.length > 0) yield portion;
}

async function makeIndex(
  { database, storage }: MakeIndexesOptions,
  uploadId: string,
  files: readonly IndexedFile[],
  small: SmallContents,
): Promise<void> {
  const seed = await seedOf(storage, files);
  const builder = new IndexBuilder(seed, sumOf(files));
  const kernel = new LocKernel();
  const indexed: number[] = [];
  for (const [i, file] of files.entries()) {
    const mark = builder.mark();
    const roomForPlaces = MAX_PLACES - mark.places - (files.length - i - 1);
    try {
      const hashes = await findFileHashes(storage, file);
      if (hashes?.seed === seed && hashes.fragments.length <= roomForPlaces) {
        const places = placesOf(hashes, file.uploadN);
        await addHashes(builder, places, hashes.hashes);
        free(hashes.hashes);
      } else {
        builder.beginPlace({ file: file.uploadN, from: 0, deflatedBytes: 0, bytes: file.bytes });
        const content = small.get(uploadFileKey(uploadId, file.uploadN));
        await addXml(builder, kernel, seed, readXml(storage, file, content));
      }
      if (builder.mark().count - mark.count !== file.entries) throw new UnreadableFile('other entries');
      indexed.push(file.uploadN);
    } catch (error) {
      // The file stays out of the index. A look-up reads the file, and counts it as not searched if it cannot be read.
      if (!(error instanceof UnreadableFile || error instanceof RangeError)) throw error;
      builder.forgetSince(mark);
    }
  }
  if (indexed.length === 0) return;
  const { headBytes, parts } = await builder.build();
  const name = randomText(22);
  await reserveIndex(database, uploadId, name);
  await storage.putNew(urlIndexKey(uploadId, name), parts);
  builder.free();
  await insertUrlIndex(database, { uploadId, name, headBytes }, indexed);
}

/**
 * Returns the seed of the first stored hashes. An index has one seed, so stored hashes with another seed cannot be used. Any file may be
 * too short for hashes. If no file has hashes, any seed will do.
 */
async function seedOf(
  storage: MakeIndexesOptions['storage'],
  files: readonly IndexedFile[],
): Promise<bigint> {
  for (const file of files) {
    const hashes = await findFileHashes(storage, file);
    if (hashes !== undefined) return hashes.seed;
  }
  return randomBytes(8).readBigUInt64LE();
}

async function addHashes(
  builder: IndexBuilder,
  places: ReturnType<typeof placesOf>,
  hashes: Uint8Array,
): Promise<void> {
  const view = new DataView(hashes.buffer, hashes.byteOffset, hashes.byteLength);
  let at = 0;
  for (const { place, entries } of places) {
    builder.beginPlace(place);
    for (const end = at + entries * HASHES_BYTES; at < end; at += HASHES_BYTES) {
      builder.add(view.getUint32(at, true), view.getUint32(at + 4, true));
    }
    // A fragment has at most 1,000 entries. The process does other work between two fragments.
    await nextTurn();
  }
}

async function addXml(
  builder: IndexBuilder,
  kernel: LocKernel,
  seed: bigint,
  xml: AsyncIterable<Uint8Array>,
): Promise<void> {
  kernel.begin();
  for await (const piece of xml) {
    for (const words of kernel.hashes(piece, seed)) {
      for (let i = 0; i < words.length; i += 2) builder.add(words[i]!, words[i + 1]!);
    }
  }
}

const sumOf = (files: readonly IndexedFile[]) => files.reduce((sum, { entries }) => sum + entries, 0);
