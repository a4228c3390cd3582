/** Lists the newest changes for the feed, from the packs and from the feed of the last version. */
import { MAX_NAMED_URLS } from '../entries/entry-pack.ts';
import { entriesOf, locOfEntry } from '../entries/fragment-of.ts';
import type { ChangedGeneration } from './merge-changes.ts';
import type { Change } from './recent-state.ts';

/** The most entries of the feed. */
const MAX_CHANGES = MAX_NAMED_URLS;

/**
 * Returns the newest change of each URL: at most MAX_CHANGES, the newest first. Of the changes of a URL in one sitemap, that of the higher
 * generation is newer: the pack of a generation may come after the pack of a later one. `generations`: the newest comes first. `former`: the
 * changes in the last feed. `hasSitemap`: tells whether a sitemap still exists. Leaves out changes of sitemaps that are gone, and those that
 * are older than unknown changes: a removed URL may be there again. Throws DamagedFile.
 */
export function newestChanges(
  generations: readonly ChangedGeneration[],
  former: readonly Change[],
  hasSitemap: (name: string) => boolean,
): Change[] {
  const all: Change[] = [];
  const unknownUntil = new Map<string, number>();
  for (const generation of generations) {
    if ('leftOut' in generation) {
      const { sitemapName, seq } = generation;
      unknownUntil.set(sitemapName, Math.max(seq, unknownUntil.get(sitemapName) ?? 0));
      continue;
    }
    const { sitemapName: sitemap, seq, at, pack } = generation;
    const locs = pack.fragments.values().flatMap(entriesOf).take(MAX_CHANGES).map(locOfEntry);
    for (const loc of locs) all.push({ at, sitemap, seq, loc, isRemoved: false });
    for (const loc of pack.removed) all.push({ at, sitemap, seq, loc, isRemoved: true });
  }
  const existing = [...all, ...former].filter(
    ({ sitemap, seq }) => hasSitemap(sitemap) && seq > (unknownUntil.get(sitemap) ?? -1),
  );
  const ofSitemaps = firstOfEach(
    existing.sort((a, b) => b.seq - a.seq),
    ({ sitemap, loc }) => `${sitemap} ${loc}`,
  );
  const ofUrls = firstOfEach(
    ofSitemaps.sort((a, b) => b.at - a.at),
    ({ loc }) => loc,
  );
  return ofUrls.slice(0, MAX_CHANGES);
}

function firstOfEach(changes: readonly Change[], keyOf: (change: Change) => string): Change[] {
  const first = new Map<string, Change>();
  for (const change of changes) {
    const key = keyOf(change);
    if (!first.has(key)) first.set(key, change);
  }
  return [...first.values()];
}
