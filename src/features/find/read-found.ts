/** Reads the entry of a URL from the place that an index or a scan names. */
import { escapeText } from '../../core/sitemap/xml-text.ts';
import { findSmallFile } from '../sites/small-file-store.ts';
import type { PublishedFile } from './find-store.ts';
import type { FilePlaces } from './scan-files.ts';
import { readFragment, readXml } from './stored-files.ts';
import type { IndexedPlace } from './url-index.ts';

/**
 * Returns the entry as it is published; undefined if the file lacks it. `places`: the places in the file where an index expects the entry.
 * If no place has the entry, reads the whole file. Fragments are read without a checksum, so damage can hide an entry. Throws
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

const END = Buffer.from('</url>');

/**
 * Finds the first entry of a URL in XML that we wrote. Reads the XML piece by piece, to its end or to the end of the entry. Memory has the
 * entry and two pieces.
 */
export async function findEntry(
  url: string,
  xml: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<string | undefined> {
  const start = Buffer.from(`<url><loc>${escapeText(url)}</loc>`);
  let rest = Buffer.alloc(0);
  /** The entry does not end before this position in `rest`. Undefined: the entry has not begun. */
  let looked: number | undefined;
  for await (const piece of xml) {
    rest = Buffer.concat([rest, piece]);
    if (looked === undefined) {
      const at = rest.indexOf(start);
      // The start may be split between two pieces.
      rest = rest.subarray(at === -1 ? Math.max(0, rest.length - start.length + 1) : at);
      if (at === -1) continue;
      looked = start.length;
    }
    const end = rest.indexOf(END, looked);
    if (end !== -1) return rest.toString('utf8', 0, end + END.length);
    looked = Math.max(start.length, rest.length - END.length + 1);
  }
  return undefined;
}
