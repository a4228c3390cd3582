/** Makes fragments of the XML of entries, and cuts them again. */
import { NAMESPACE } from '../../core/sitemap/namespaces.ts';
import { unescapeText } from '../../core/sitemap/xml-text.ts';
import { deflatePiece } from '../../platform/gzip/gzip-member.ts';
import type { Fragment } from '../sites/fragment.ts';
import { DamagedFile } from './entry-kernel.ts';
import { inflatePiece } from './inflate-file.ts';

const ENTRY_START = '<url><loc>';
const ENTRY_END = Buffer.from('</url>\n');
/** Escaped text has no `<`, so each of these byte sequences begins an element with the prefix. */
const PREFIXES = Object.entries(NAMESPACE).map(([prefix, bit]) => ({ tag: Buffer.from(`<${prefix}:`), bit }));

/** Returns the URL of an entry as text, without XML escapes. */
export function locOfEntry(xml: Buffer): string {
  return unescapeText(xml.toString('utf8', ENTRY_START.length, xml.indexOf('</loc>')));
}

/** Each entry is the XML from `<url>` to the line feed after `</url>`. */
export function fragmentOf(entries: readonly Uint8Array[]): Fragment {
  let namespaces = 0;
  let newsEntries = 0;
  for (const entry of entries) {
    const xml = Buffer.from(entry.buffer, entry.byteOffset, entry.byteLength);
    for (const { tag, bit } of PREFIXES) {
      if (!xml.includes(tag)) continue;
      namespaces |= bit;
      if (bit === NAMESPACE.news) newsEntries++;
    }
  }
  const piece = deflatePiece(Buffer.concat(entries));
  return { ...piece, entries: entries.length, newsEntries, namespaces };
}

/** Returns the XML of each entry. Throws DamagedFile. */
export function entriesOf(fragment: Fragment): Buffer[] {
  const xml = inflatePiece(fragment);
  const cut: Buffer[] = [];
  for (let at = 0; at < xml.length; ) {
    const end = xml.indexOf(ENTRY_END, at);
    if (end < 0) throw new DamagedFile('an entry has no end');
    cut.push(xml.subarray(at, end + ENTRY_END.length));
    at = end + ENTRY_END.length;
  }
  if (cut.length !== fragment.entries) throw new DamagedFile('a fragment has another number of entries');
  return cut;
}
