/** Lists the newest changes for the feed, from the packs and from the feed of the last version. */
import { setImmediate } from 'node:timers/promises';
import { type EntryPack, MAX_NAMED_URLS } from '../entries/entry-pack.ts';
import { entriesOf, locOfEntry } from '../entries/fragment-of.ts';
import type { ChangedGeneration } from './merge-changes.ts';
import type { Change } from './recent-state.ts';

/** The most entries of the feed. */
const MAX_CHANGES = MAX_NAMED_URLS;

/** The most changes in memory at once, beside those of a pack. They are more than the feed has, because packs may come late. */
const MOST_KEPT = 4 * MAX_CHANGES;

/**
 * Returns the newest change of each URL: at most MAX_CHANGES, the newest first. Of the changes of a URL in one sitemap, the change of the
 * higher generation is newer: the pack of a generation may come after the pack of a later one. `generations`: the newest comes first.
 * `former`: the changes in the last feed. `hasSitemap`: tells whether a sitemap still exists. Leaves out changes of sitemaps that are gone,
 * and changes that are older than unknown changes: a removed URL may be there again. Pauses now and then, so that other work goes on.
 * Throws DamagedFile.
 */
export async function newestChanges(
  generations: readonly ChangedGeneration[],
  former: readonly Change[],
  hasSitemap: (name: string) => boolean,
): Promise<Change[]> {
  const unknownUntil = new Map<string, number>();
  for (const generation of generations) {
    if (!('leftOut' in generation)) continue;
    const { sitemapName, seq } = generation;
    unknownUntil.set(sitemapName, Math.max(seq, unknownUntil.get(sitemapName) ?? 0));
  }
  const isKnown = (sitemap: string, seq: number) =>
    hasSitemap(sitemap) && seq > (unknownUntil.get(sitemap) ?? -1);
  const oldestSeqs = new Map<string, number>();
  let [kept, added]: [Change[], Change[]] = [[], []];
  for (const [i, generation] of generations.entries()) {
    const { sitemapName, seq } = generation;
    if ('leftOut' in generation || !isKnown(sitemapName, seq)) continue;
    oldestSeqs.set(sitemapName, Math.min(seq, oldestSeqs.get(sitemapName) ?? seq));
    for (const change of changesOf(generation)) added.push(change);
    if (added.length < MAX_CHANGES) continue;
    kept = newestOfSitemaps([...kept, ...added]).slice(0, MOST_KEPT);
    added = [];
    const last = newestOfUrls(kept)[MAX_CHANGES - 1];
    // The other packs replace no change that is kept, and have no newer ones.
    const isOlder = ({ sitemapName, seq, at }: ChangedGeneration) =>
      last !== undefined && at <= last.at && seq < (oldestSeqs.get(sitemapName) ?? Number.POSITIVE_INFINITY);
    if (generations.slice(i + 1).every(isOlder)) break;
    await setImmediate();
  }
  const known = former.filter(({ sitemap, seq }) => isKnown(sitemap, seq));
  return newestOfUrls(newestOfSitemaps([...kept, ...added, ...known])).slice(0, MAX_CHANGES);
}

function* changesOf({
  sitemapName: sitemap,
  seq,
  at,
  pack,
}: Extract<ChangedGeneration, { readonly pack: EntryPack }>): Generator<Change, void, undefined> {
  const locs = pack.fragments.values().flatMap(entriesOf).take(MAX_CHANGES).map(locOfEntry);
  for (const loc of locs) yield { at, sitemap, seq, loc, isRemoved: false };
  for (const loc of pack.removed) yield { at, sitemap, seq, loc, isRemoved: true };
}

/** Returns the newest change of each URL in each sitemap, the newest first. Of equal times, the first change is the newest. */
function newestOfSitemaps(changes: readonly Change[]): Change[] {
  const bySeq = changes.toSorted((a, b) => b.seq - a.seq);
  return firstOfEach(bySeq, ({ sitemap, loc }) => `${sitemap} ${loc}`).sort((a, b) => b.at - a.at);
}

const newestOfUrls = (changes: readonly Change[]) => firstOfEach(changes, ({ loc }) => loc);

function firstOfEach(changes: readonly Change[], keyOf: (change: Change) => string): Change[] {
  const first = new Map<string, Change>();
  for (const change of changes) {
    const key = keyOf(change);
    if (!first.has(key)) first.set(key, change);
  }
  return [...first.values()];
}
