/** Whatever comes in whatever order: the recent files and the feed say nothing that the live sitemap does not have. */
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReadUploadFile } from '../../src/features/sites/read-upload-file.ts';
import { feedKey } from '../../src/features/sites/site.ts';
import { deleteSitemap } from '../../src/features/uploads/delete-sitemap.ts';
import { rollBack } from '../../src/features/uploads/publishing/roll-back.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { casesOf } from '../support/property-runs.ts';
import { DAY_MS } from '../uploads/upload-fixture.ts';
import { createRecentWorld } from './recent-world.ts';

const world = await createRecentWorld();
const { database, storage } = world;
type Domain = Awaited<ReturnType<typeof world.addDomain>>;

/** A URL and the form of its entry. */
const entry = fc.tuple(fc.nat(9), fc.nat(2));
const entriesOf = (chosen: readonly (readonly [number, number])[]) =>
  [...new Map(chosen)].map(([n, form]) => ({
    loc: locOf(n),
    ...(form > 0 && { priority: form / 10 }),
  }));
const locOf = (n: number) => `https://example.com/${n}`;

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('upload' as const),
      urls: fc.array(entry, { minLength: 1, maxLength: 8 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('delta' as const),
      upsert: fc.array(entry, { minLength: 1, maxLength: 3 }),
      remove: fc.array(fc.nat(9), { maxLength: 2 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('compare' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('write' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('rollback' as const), by: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

async function take(domain: Domain, one: Step): Promise<unknown> {
  const { id, hostname } = domain;
  const of = { id, hostname, placement: 'order' as const };
  switch (one.kind) {
    case 'upload':
      return domain.upload(entriesOf(one.urls));
    case 'delta': {
      const upsert = entriesOf(one.upsert);
      const remove = one.remove.map(locOf).filter((loc) => !upsert.some((other) => other.loc === loc));
      return domain.delta({ upsert, remove });
    }
    case 'compare':
      return domain.compare();
    case 'write':
      return domain.write();
    case 'rollback': {
      const live = await database.query<{ seq: number }>(
        'SELECT seq FROM uploads JOIN sitemaps s ON s.upload_id = id WHERE s.domain_id = $1',
        [id],
      );
      const generation = (live.rows[0]?.seq ?? 1) - one.by;
      const uploader = await world.uploaderOf(world.account);
      return rollBack(world.options, uploader, of, '', generation, { ifGeneration: undefined });
    }
    case 'delete':
      return deleteSitemap({ ...world.options, keepReplacedMs: DAY_MS }, of, '');
  }
}

async function liveEntries({ id }: Domain): Promise<string[]> {
  const { rows } = await database.query<{ upload_id: string; upload_n: number }>(
    `SELECT f.upload_id, f.upload_n FROM sitemaps s
       JOIN sitemap_files f ON f.domain_id = s.domain_id AND f.sitemap_name = s.name AND f.to_seq IS NULL
      WHERE s.domain_id = $1`,
    [id],
  );
  const read = createReadUploadFile(world, [...new Set(rows.map(({ upload_id }) => upload_id))]);
  const files = await Promise.all(rows.map(({ upload_id, upload_n }) => read(upload_id, upload_n)));
  return files.flatMap(
    (gzip) =>
      gunzipSync(gzip!)
        .toString()
        .match(/<url>.*?<\/url>\n/gs) ?? [],
  );
}

async function feedOf(domain: Domain): Promise<string> {
  const { feed } = await domain.site();
  return feed === undefined
    ? ''
    : gunzipSync((await readObject(storage, feedKey(feed.uploadId)))!).toString();
}

test('recent entries are those of the sitemap, and the feed removes and adds no other URLs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const domain = await world.addDomain();
      for (const one of steps) {
        await take(domain, one).catch((error) => {
          // A sitemap that is not there, or a delta that removes its last URL.
          if (!(error instanceof Refusal)) throw error;
        });
      }
      await domain.compare();
      await domain.write();
      const live = await liveEntries(domain);
      for (const recent of await domain.entries()) expect(live).toContain(recent);
      const locs = live.map((xml) => /<loc>(.*?)<\/loc>/.exec(xml)![1]);
      const feed = await feedOf(domain);
      for (const [, gone] of feed.matchAll(/<at:deleted-entry ref="(.*?)"/g))
        expect(locs).not.toContain(gone);
      for (const [, there] of feed.matchAll(/<entry><id>(.*?)</g)) expect(locs).toContain(there);
    }),
    {
      numRuns: casesOf(120),
      // The changes of a deleted sitemap are not in the recent files yet, and a new one takes its name.
      examples: [
        [
          [
            { kind: 'upload', urls: [[0, 0]] },
            { kind: 'upload', urls: [[1, 0]] },
            { kind: 'compare' },
            { kind: 'delete' },
            { kind: 'upload', urls: [[0, 0]] },
            { kind: 'upload', urls: [[0, 0]] },
          ],
        ],
      ],
    },
  );
});
