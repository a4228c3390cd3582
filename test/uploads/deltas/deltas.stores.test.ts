/** Deltas change the entries that they name and no others (docs/decisions/0058). */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_SMALL_BYTES } from '../../../src/features/sites/small-files.ts';
import { rollBack } from '../../../src/features/uploads/publishing/roll-back.ts';
import { needs } from '../../support/needs.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';
import { bulkyEntries, plainEntries } from '../batches.ts';
import { createStableWorld } from '../stable-world.ts';
import { DAY_MS } from '../upload-fixture.ts';

const world = await createStableWorld();
const { fixture, account, uploader, liveFiles } = world;
const { database, clock } = fixture;

/** Long entries, so that files of 1,000 are objects. */
const ALL = bulkyEntries(6000);
type Entry = (typeof ALL)[number] & { readonly priority?: number };

/** A sitemap as people think of it: the entry of each URL. */
type Model = ReadonlyMap<string, Entry>;
const modelOf = (entries: readonly Entry[]): Model => new Map(entries.map((entry) => [entry.loc, entry]));

const send = (urls: readonly object[], more: object = {}) =>
  fixture.upload(account, { domain: world.domain.hostname, sizeLimit: 'gsc-optimized', urls, ...more });
const change = (members: object, changed: Parameters<typeof fixture.delta>[2] = {}) =>
  fixture.delta(account, { domain: world.domain.hostname, ...members }, changed);

/** The entries that crawlers find: `loc` and priority, sorted. */
const published = () =>
  world.published((xml) =>
    [...xml.matchAll(/<url><loc>([^<]*)<\/loc>(.*?)<\/url>/g)].map(
      ([, loc, rest]) => `${loc!.replaceAll('&amp;', '&')} ${/<priority>(.*?)</.exec(rest!)?.[1] ?? ''}`,
    ),
  );

const shown = (model: Model) =>
  [...model.values()].map(({ loc, priority }) => `${loc} ${priority ?? ''}`).sort();

test('only files with a changed URL change; the others keep entity tag and time', async () => {
  await send(ALL.slice(0, 4500));
  const before = await liveFiles();
  clock.now = new Date(clock.now.getTime() + DAY_MS);
  const delta = await change({
    upsert: [ALL[5000], { ...ALL[10], priority: 0.2 }, ALL[20]],
    remove: [ALL[1500]!.loc, ALL[5500]!.loc],
  });
  expect(delta).toMatchObject({
    ...{ generation: 2, filesChanged: 3, fileCount: 5, urlCount: 4500 },
    counts: { added: 1, changed: 1, unchanged: 1, removed: 1, missing: 1 },
  });
  const after = await liveFiles();
  const stays = [false, false, true, true, false];
  expect(after.map(({ etag }, i) => etag === before[i]!.etag)).toEqual(stays);
  expect(after.map(({ last_modified }, i) => +last_modified === +before[i]!.last_modified)).toEqual(stays);
});

test('the recipe for events of a change log makes a delta of them', needs('jq'), async () => {
  const page = readFileSync(new URL('../../../docs/recipes.md', import.meta.url), 'utf8');
  const [, program, dates] = /^jq -c '(.*)' events\.json .* --dates (\S+)$/m.exec(page)!;
  const row = (n: number, updated_at: number | null = 1_768_471_200_123_456) => ({
    url: ALL[n]!.loc,
    updated_at,
  });
  const events = [
    { schema: {}, payload: { op: 'c', before: null, after: row(5) } },
    { payload: { op: 'u', before: row(0), after: row(0) } },
    { op: 'u', before: row(1), after: row(6, null) },
    { payload: { op: 'd', before: row(2), after: null } },
    // After a deletion, Debezium writes a tombstone.
    { payload: null },
    null,
  ];
  const input = events.map((event) => JSON.stringify(event)).join('\n');
  const { stdout, stderr } = spawnSync('jq', ['-c', program!], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  const domain = world.domain.hostname;
  await send(ALL.slice(0, 4));
  const delta = await fixture.delta(account, stdout, { query: { domain, dates } });
  expect(delta.counts).toEqual({ added: 2, changed: 1, unchanged: 0, removed: 2, missing: 0 });
  expect(
    await world.published((xml) => [...xml.matchAll(/<loc>.*(?=<\/url>)/g)].map(([entry]) => entry)),
  ).toEqual(
    [
      ...[0, 5].map((n) => `<loc>${ALL[n]!.loc}</loc><lastmod>2026-01-15T10:00:00.123456Z</lastmod>`),
      ...[3, 6].map((n) => `<loc>${ALL[n]!.loc}</loc>`),
    ].sort(),
  );
});

/** Returns the numbers of the live files that are small, and their bytes. */
async function smallFiles(): Promise<{ numbers: number[]; bytes: number }> {
  const { rows } = await database.query<{ n: number; gzip_bytes: number }>(
    `SELECT f.n, f.gzip_bytes FROM sitemap_files f JOIN small_files s ON s.upload_id = f.upload_id AND s.n = f.upload_n
      WHERE domain_id = $1 AND to_seq IS NULL ORDER BY f.n`,
    [world.domain.id],
  );
  return {
    numbers: rows.map(({ n }) => n),
    bytes: rows.reduce((sum, row) => sum + row.gzip_bytes, 0),
  };
}

test('files of deltas are small only beside few other small files', async () => {
  const plain = plainEntries(30_000);
  await send(plain.slice(0, 2000));
  await change({ upsert: [{ ...plain[0]!, priority: 0.2 }] });
  expect((await smallFiles()).numbers).toEqual([1, 2]);
  await send(plain);
  for (let file = 20; file < 30; file++) {
    await change({ upsert: [{ ...plain[1000 * file]!, priority: 0.2 }] });
  }
  const { numbers, bytes } = await smallFiles();
  expect(numbers).not.toContain(30);
  expect(bytes).toBeLessThanOrEqual(MAX_SMALL_BYTES);
});

/** Deltas and uploads of any kind, on some of the first 3,500 URLs. */
const URL_COUNT = 3500;
const operations = fc.record({
  seed: fc.nat(1000),
  upserts: fc.oneof(fc.nat(3), fc.nat(600)),
  removals: fc.oneof(fc.nat(3), fc.nat(900)),
  priority: fc.constantFrom(undefined, 0.1, 0.9),
});
type Asked = { seed: number; upserts: number; removals: number; priority: number | undefined };

function operationsOf({ seed, upserts, removals, priority }: Asked) {
  const at = (i: number) => ALL[(seed * 31 + i * 7) % URL_COUNT]!;
  const upsert = Array.from({ length: upserts }, (_, i) => ({ ...at(i), ...(priority && { priority }) }));
  const named = new Set(upsert.map(({ loc }) => loc));
  const remove = Array.from({ length: removals }, (_, i) => at(upserts + i).loc).filter(
    (loc) => !named.has(loc),
  );
  return { upsert, remove };
}

function changed(model: Model, { upsert, remove }: ReturnType<typeof operationsOf>): Model {
  const next = new Map(model);
  for (const entry of upsert) next.set(entry.loc, entry);
  for (const loc of remove) next.delete(loc);
  return next;
}

function countsOf(before: Model, { upsert, remove }: ReturnType<typeof operationsOf>) {
  const last = new Map(upsert.map((entry) => [entry.loc, entry]));
  const kinds = [...last.values()].map(({ loc, priority }) => {
    const former = before.get(loc);
    if (former === undefined) return 'added';
    return former.priority === priority ? 'unchanged' : 'changed';
  });
  const gone = [...new Set(remove)].map((loc) => (before.has(loc) ? 'removed' : 'missing'));
  const count = (kind: string) => [...kinds, ...gone].filter((one) => one === kind).length;
  return {
    ...{ added: count('added'), changed: count('changed'), unchanged: count('unchanged') },
    ...{ removed: count('removed'), missing: count('missing') },
  };
}

/** Ends all but some of the replaced generations, and collects them. */
async function endAllBut(kept: number): Promise<void> {
  await database.query(
    `UPDATE garbage SET collect_after = now() - interval '2 days' WHERE collect_after > now() AND prefix IN (
       SELECT 'uploads/' || u.id || '/' FROM uploads u
        WHERE u.domain_id = $1 AND u.seq < (SELECT max(seq) FROM uploads WHERE domain_id = $1) - $2)`,
    [world.domain.id, kept],
  );
  await database.query(
    `UPDATE garbage SET collect_after = now() WHERE collect_after < now() + interval '1 hour' AND prefix LIKE '%.'`,
  );
  await world.collectNow();
}

test('any sequence of uploads, deltas, rollbacks and collections equals a naive model', async () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('delta' as const), asked: operations }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('upload' as const), asked: operations }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('again' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('back' as const), by: fc.integer({ min: 1, max: 3 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('collect' as const), kept: fc.nat(3) }) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 10 }),
      fc.constantFrom(40, 2300),
      async (steps, size) => {
        await world.renew();
        const models = new Map<number, Model>();
        let model = modelOf(ALL.slice(0, size));
        let { generation } = await send(ALL.slice(0, size));
        models.set(generation, model);
        let oldestKept = 1;
        for (const one of steps) {
          if (one.kind === 'collect') {
            await endAllBut(one.kept);
            oldestKept = Math.max(oldestKept, generation - one.kept);
          } else if (one.kind === 'back') {
            const to = generation - one.by;
            if (to < oldestKept) continue;
            const back = await rollBack(fixture.options, uploader, world.domain, '', to, {
              ifGeneration: undefined,
            });
            ({ generation } = back);
            model = models.get(to)!;
          } else if (one.kind === 'again') {
            // The digest of deltas is that of the list.
            const again = await send([...model.values()].toReversed());
            expect(again).toMatchObject({ isUnchanged: true, generation });
          } else if (one.kind === 'upload') {
            model = changed(model, operationsOf(one.asked));
            if (model.size === 0) return;
            ({ generation } = await send([...model.values()], { force: true }));
          } else {
            const asked = operationsOf(one.asked);
            const next = changed(model, asked);
            if (asked.upsert.length + asked.remove.length === 0 || next.size === 0) continue;
            const files = await liveFiles();
            const delta = await change({ ...asked, force: true });
            expect(delta.counts).toEqual(countsOf(model, asked));
            expect(delta.urlCount).toBe(next.size);
            expect(delta.isUnchanged).toBe(delta.generation === generation);
            const now = await liveFiles();
            expect(now.filter(({ etag }, i) => etag !== files[i]?.etag)).toHaveLength(delta.filesChanged);
            ({ generation } = delta);
            model = next;
          }
          models.set(generation, model);
          expect(await published()).toEqual(shown(model));
        }
        expect(await world.findings()).toEqual([]);
        expect(await send([...model.values()])).toMatchObject({ isUnchanged: true });
        await endAllBut(0);
        await endAllBut(0);
        expect(await published()).toEqual(shown(model));
        await world.expectNoOtherFiles();
      },
    ),
    { numRuns: PROPERTY_RUNS / 10 },
  );
}, 300_000);
