/** Makes fragments of the texts of entries. */
import { NAMESPACE } from '../../../core/sitemap/namespaces.ts';
import { deflatePiece } from '../../../platform/gzip/gzip-member.ts';
import type { Fragment } from '../../sites/fragment.ts';
import { ENTRIES_PER_FRAGMENT } from '../fragment.ts';
import type { EntryReader } from './entry-reader.ts';

const NEWS_ENTRY = '<news:news>';

/** `origin`: of all entries, if they have the same. Throws DamagedFile. */
export function makeFragments(
  reader: EntryReader,
  texts: readonly Uint8Array[],
  origin: string | undefined,
): Fragment[] {
  const fragments: Fragment[] = [];
  for (let at = 0; at < texts.length; at += ENTRIES_PER_FRAGMENT) {
    const xml = Buffer.concat(texts.slice(at, at + ENTRIES_PER_FRAGMENT));
    const entries = Math.min(ENTRIES_PER_FRAGMENT, texts.length - at);
    fragments.push({
      ...deflatePiece(xml),
      entries,
      newsEntries: countNews(xml),
      namespaces: namespacesIn(xml),
      hashes: reader.hashesOfPart(xml, entries),
      origin,
    });
  }
  return fragments;
}

/** Counts the entries with news. Texts have no `<`, so only elements have the names of elements. */
export function countNews(xml: Buffer): number {
  let count = 0;
  for (let at = xml.indexOf(NEWS_ENTRY); at >= 0; at = xml.indexOf(NEWS_ENTRY, at + NEWS_ENTRY.length))
    count++;
  return count;
}

function namespacesIn(xml: Buffer): number {
  let mask = 0;
  for (const [prefix, bit] of Object.entries(NAMESPACE)) if (xml.includes(`<${prefix}:`)) mask |= bit;
  return mask;
}
