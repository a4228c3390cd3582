/** Finds the first entry of a URL in XML that we wrote, as it is published. */
import { escapeText } from '../../core/sitemap/xml-text.ts';

const END = Buffer.from('</url>');

/** Reads the XML piece by piece, to its end or to the end of the entry. Memory has the entry and two pieces. */
export async function findEntry(
  url: string,
  xml: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<string | undefined> {
  const start = Buffer.from(`<url><loc>${escapeText(url)}</loc>`);
  let rest = Buffer.alloc(0);
  /** The position in `rest` before which the entry does not end. Undefined: the entry has not begun. */
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
