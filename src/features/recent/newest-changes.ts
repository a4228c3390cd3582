/** Lists the newest changes for the feed, from the packs and from the feed of the last version. */
import { MAX_NAMED_URLS } from '../entries/entry-pack.ts';
import { entriesOf, locOfEntry } from '../entries/fragment-of.ts';
import type { ChangedGeneration } from './merge-changes.ts';
import type { Change } from './recent-state.ts';

/** The most entries of the feed. */
const MAX_CHANGES = MAX_NAMED_URLS;

/**
 * Returns the newest change of each URL: at most MAX_CHANGES, the newest first. `generations`: the newest comes first. `former`: the
 * changes in the last feed. `hasSitemap`: tells whether a sitemap still exists. Leaves out changes of sitemaps that are gone. Throws
 * DamagedFile.
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
    const locs = pack.fragments.values().flatMap(entriesOf).take(MAX_CHANGES).map(locOfEntry);
    for (const loc of locs) all.push({ at, sitemap, loc, isRemoved: false });
    for (const loc of pack.removed) all.push({ at, sitemap, loc, isRemoved: true });
  }
  const newest = new Map<string, Change>();
  for (const change of [...all, ...former].sort((a, b) => b.at - a.at)) {
    if (hasSitemap(change.sitemap) && !newest.has(change.loc)) newest.set(change.loc, change);
  }
  return [...newest.values()].slice(0, MAX_CHANGES);
}
