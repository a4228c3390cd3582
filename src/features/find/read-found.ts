/** Reads the entry of a URL from the place that an index or a scan names. */
import { findSmallFile } from '../sites/small-file-store.ts';
import { findEntry } from './find-entry.ts';
import type { PublishedFile } from './find-store.ts';
import type { FilePlaces } from './scan-files.ts';
import { readFragment, readXml } from './stored-files.ts';
import type { IndexedPlace } from './url-index.ts';

/**
 * Returns the entry as it is published; undefined if it is not there. `places`: the places in the file where an index expects the entry.
 * Without a match there, the whole file is read: a fragment is read without a checksum, so damage can hide the entry. Throws
 * UnreadableFile.
 */
export async function readFound(
  { database, storage }: FilePlaces,
  file: PublishedFile,
  url: string,
  places: readonly IndexedPlace[],
): Promise<string | undefined> {
  for (const fragment of places.filter(({ deflatedBytes }) => deflatedBytes > 0)) {
    const xml = await readFragment(storage, file, fragment);
    const entry = xml && (await findEntry(url, [xml]));
    if (entry !== undefined) return entry;
  }
  const content = await findSmallFile(database, file.uploadId, file.uploadN);
  return findEntry(url, readXml(storage, file, content));
}
