/** Lists the newest changes for the feed, from the packs and from the feed of the last version. */
import { type EntryPack, MAX_NAMED_URLS } from '../entries/entry-pack.ts';
import { entriesOf, locOfEntry } from '../entries/fragment-of.ts';
import type { ChangedGeneration } from './merge-changes.ts';
import type { Change } from './recent-state.ts';

/** The most entries of the feed. */
const MAX_CHANGES = MAX_NAMED_URLS;

/**
 * Returns the newest change of each URL: at most MAX_CHANGES, the newest first. `generations`: the newest comes first. `former`: the
 * changes in the last feed. `hasSitemap`: tells whether a sitemap still exists; changes of all others are left out.
 */
export function newestChanges(
  generations: readonly ChangedGeneration[],
  former: readonly Change[],
  hasSitemap: (name: string) => boolean,
): Change[] {
  const all: Change[] = [];
  for (const generation of generations) {
    if (!('pack' in generation)) continue;
    const { sitemapName: sitemap, at, pack } = generation;
    for (const loc of firstLocs(pack)) all.push({ at, sitemap, loc, isRemoved: false });
    for (const loc of pack.removed) all.push({ at, sitemap, loc, isRemoved: true });
  }
  const newest = new Map<string, Change>();
  for (const change of [...all, ...former].sort((a, b) => b.at - a.at)) {
    if (hasSitemap(change.sitemap) && !newest.has(change.loc)) newest.set(change.loc, change);
  }
  return [...newest.values()].slice(0, MAX_CHANGES);
}

/** Yields the URLs of the first MAX_CHANGES entries. Throws DamagedFile. */
function* firstLocs({ fragments }: EntryPack): Generator<string, void, undefined> {
  let count = 0;
  for (const fragment of fragments) {
    for (const xml of entriesOf(fragment)) {
      if (count++ === MAX_CHANGES) return;
      yield locOfEntry(xml);
    }
  }
}
