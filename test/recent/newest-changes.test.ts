import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EntryPacker, readEntryPack } from '../../src/features/entries/entry-pack.ts';
import type { ChangedGeneration } from '../../src/features/recent/merge-changes.ts';
import { newestChanges } from '../../src/features/recent/newest-changes.ts';
import type { Change } from '../../src/features/recent/recent-state.ts';
import { casesOf } from '../support/property-runs.ts';

const locOf = (n: number) => `https://example.com/${n}`;

/** Some of 2,000 URLs of two sitemaps change, in runs. A pack may come after those of later generations. */
const generation = fc.record({
  sitemapName: fc.constantFrom('a', 'b'),
  seq: fc.integer({ min: 1, max: 30 }),
  added: fc.tuple(fc.nat(2000), fc.nat(600)),
  removed: fc.tuple(fc.nat(2000), fc.nat(100)),
});
type Drawn = typeof generation extends fc.Arbitrary<infer One> ? One : never;

const run = ([from, count]: readonly [number, number]) =>
  Array.from({ length: count }, (_, i) => locOf((from + i) % 2000));

function generationOf({ sitemapName, seq, added, removed }: Drawn, at: number): ChangedGeneration {
  const packer = new EntryPacker(sitemapName);
  const kept = new Set(run(added));
  for (const loc of kept) packer.add(loc, Buffer.from(`<url><loc>${loc}</loc></url>\n`));
  for (const loc of run(removed)) if (!kept.has(loc)) packer.remove(loc);
  return { sitemapName, seq, at, pack: readEntryPack(packer.end()!)! };
}

/** All changes at once, one by one. */
function naive(drawn: readonly Drawn[], atOf: (i: number) => number): Change[] {
  const ofSitemap = new Map<string, Change>();
  for (const [i, { sitemapName: sitemap, seq, added, removed }] of drawn.entries()) {
    const kept = new Set(run(added));
    const gone = run(removed).filter((loc) => !kept.has(loc));
    for (const [locs, isRemoved] of [[[...kept], false] as const, [gone, true] as const]) {
      for (const loc of locs) {
        const known = ofSitemap.get(`${sitemap} ${loc}`);
        if (known !== undefined && known.seq > seq) continue;
        ofSitemap.set(`${sitemap} ${loc}`, { at: atOf(i), sitemap, seq, loc, isRemoved });
      }
    }
  }
  const ofUrl = new Map<string, Change>();
  for (const change of ofSitemap.values()) {
    const known = ofUrl.get(change.loc);
    if (known === undefined || known.at < change.at) ofUrl.set(change.loc, change);
  }
  return [...ofUrl.values()].sort((a, b) => b.at - a.at);
}

const shown = ({ at, sitemap, seq, loc, isRemoved }: Change) => `${at} ${sitemap} ${seq} ${loc} ${isRemoved}`;

test('whatever comes in whatever order, the feed has the newest change of each URL', async () => {
  const drawings = fc.uniqueArray(generation, {
    minLength: 1,
    maxLength: 16,
    selector: ({ sitemapName, seq }) => `${sitemapName} ${seq}`,
  });
  await fc.assert(
    fc.asyncProperty(drawings, async (drawn) => {
      const generations = drawn.map((one, i) => generationOf(one, 100 + i)).reverse();
      const found = await newestChanges(generations, [], () => true);
      const all = naive(drawn, (i) => 100 + i);
      // The changes of a generation have the same time, so any of the oldest ones may be left out.
      const oldest = all[Math.min(all.length, 1000) - 1]?.at ?? 0;
      const newer = (changes: readonly Change[]) => changes.filter(({ at }) => at > oldest).map(shown);
      expect(found).toHaveLength(Math.min(all.length, 1000));
      expect(newer(found).sort().join('\n')).toBe(newer(all).sort().join('\n'));
      const known = new Set(all.map(shown));
      expect(found.map(shown).filter((one) => !known.has(one))).toEqual([]);
    }),
    { numRuns: casesOf(200) },
  );
});

test('packs that cannot tell anything newer are not read', async () => {
  const many = (seq: number) =>
    generationOf({ sitemapName: 'a', seq, added: [0, 2000], removed: [0, 0] }, 100 + seq);
  const old = { sitemapName: 'a', seq: 1, at: 101, pack: { ...packOf(many(1)), fragments: [] } };
  Object.defineProperty(old.pack, 'removed', {
    get: () => {
      throw new Error('it was read');
    },
  });
  expect(await newestChanges([many(2), old], [], () => true)).toHaveLength(1000);
});

const packOf = (one: ChangedGeneration) => ('pack' in one ? one.pack : undefined)!;
