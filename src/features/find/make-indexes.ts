/** Makes the indexes of a sitemap's files. A thread makes each index from the stored hashes of entries, or from the files. */
import { randomText } from '../../platform/ids.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';
import { free } from '../entries/inflate-file.ts';
import { fileHashesKey, uploadFileKey, urlIndexKey } from '../sites/site.ts';
import { readSmallFiles, type SmallContents } from '../sites/small-file-store.ts';
import { MIN_INDEXED_ENTRIES } from '../sites/url-indexes.ts';
import type { IndexAsk } from './index-files.ts';
import {
  type DueIndex,
  endIndex,
  type IndexedFile,
  insertUrlIndex,
  listFilesToIndex,
  renewIndex,
  reserveIndex,
} from './index-store.ts';
import type { IndexThread } from './index-thread.ts';
import { MAX_PLACES } from './url-index.ts';

export interface MakeIndexesOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get' | 'putNew'>;
  readonly thread: IndexThread;
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
      await makeIndex(options, uploadId, portion, small, ending);
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
  { database, storage, thread }: MakeIndexesOptions,
  uploadId: string,
  files: readonly IndexedFile[],
  small: SmallContents,
  ending: AbortSignal,
): Promise<void> {
  let records: Uint8Array | undefined;
  const answer = async (ask: IndexAsk): Promise<Uint8Array | undefined> => {
    if (ask.kind === 'records') {
      records = ask.bytes;
      return undefined;
    }
    const { uploadN } = files[ask.at]!;
    if (ask.kind === 'hashes') return readObject(storage, fileHashesKey(uploadId, uploadN));
    const content = small.get(uploadFileKey(uploadId, uploadN));
    return content ?? readObject(storage, uploadFileKey(uploadId, uploadN));
  };
  const { indexed, head } = await thread.run({ files }, answer, ending);
  if (records === undefined) return;
  const name = randomText(22);
  await reserveIndex(database, uploadId, name);
  await storage.putNew(urlIndexKey(uploadId, name), [head, records]);
  free(records);
  await insertUrlIndex(database, { uploadId, name, headBytes: head.length }, indexed);
}

const sumOf = (files: readonly IndexedFile[]) => files.reduce((sum, { entries }) => sum + entries, 0);
