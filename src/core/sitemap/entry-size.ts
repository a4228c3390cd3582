/** Whether an entry fits into a file at all: its XML alone must stay within the byte limit of a file. */
import type { Entry } from './entry.ts';
import { MAX_FILE_XML_BYTES } from './limits.ts';
import { NAMESPACE, URLSET_FOOTER, urlsetHeader } from './namespaces.ts';
import { renderEntry } from './render-entry.ts';

const { image, news, video, xhtml } = NAMESPACE;
/** The limit of one entry, so that a file can hold it. */
export const MAX_ENTRY_XML_BYTES =
  MAX_FILE_XML_BYTES - urlsetHeader(image | news | video | xhtml).length - URLSET_FOOTER.length;

/**
 * Only images can make an entry reach MAX_ENTRY_XML_BYTES. An image has at most 3 texts of 10,000 characters and 2 URLs of 2,048
 * characters. A character takes up to 6 bytes (`&quot;`), so an image takes at most 205 kB with its tags, and 100 images take 21 MB. All
 * other members together take at most 15 MB: 1,000 alternates of 12.4 kB, 32 tags, 4 news texts and some single fields of up to 60 kB.
 */
const IMAGES_THAT_ALWAYS_FIT = 100;

export function fitsIntoFile(entry: Entry): boolean {
  if (entry.images === undefined || entry.images.length <= IMAGES_THAT_ALWAYS_FIT) return true;
  return Buffer.byteLength(renderEntry(entry)) <= MAX_ENTRY_XML_BYTES;
}
