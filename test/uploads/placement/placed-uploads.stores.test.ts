/** Uploads leave each URL in the file that it is in (docs/decisions/0055). */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CURES } from '../../../src/features/doctor/finding.ts';
import { uploadFileKey, uploadPrefix } from '../../../src/features/sites/site.ts';
import { GuardRefusal } from '../../../src/features/uploads/guard.ts';
import { rollBack } from '../../../src/features/uploads/publishing/roll-back.ts';
import { addAccount, addServedDomain } from '../../support/accounts.ts';
import { casesOf } from '../../support/property-runs.ts';
import { bulkyEntries } from '../batches.ts';
import { createStableWorld } from '../stable-world.ts';
import { DAY_MS } from '../upload-fixture.ts';

const world = await createStableWorld();
const { fixture, account, uploader, liveFiles } = world;
const { database, storage, clock } = fixture;

/** Long entries, so that files of 1,000 are objects. */
const ALL = bulkyEntries(6000);
const locsOf = (urls: readonly { loc: string }[]) => urls.map(({ loc }) => loc).sort();
type Url = (typeof ALL)[number];

const send = (urls: readonly object[], more: object = {}) =>
  fixture.upload(account, {
    ...{ domain: world.domain.hostname, sizeLimit: 'gsc-optimized', force: true, urls },
    ...more,
  });

/** The URLs that crawlers find, sorted. */
const published = () =>
  world.published((xml) =>
    [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc]) => loc!.replaceAll('&amp;', '&')),
  );

test('a changed list changes the files of its changes, and no time or entity tag of others', async () => {
  await send(ALL.slice(0, 4500));
  const before = await liveFiles();
  clock.now = new Date(clock.now.getTime() + DAY_MS);
  const next = [ALL[5000]!, ...ALL.slice(0, 4500).toReversed()].filter((url) => url !== ALL[1500]);
  const upload = await send(next);
  expect(upload).toMatchObject({
    placement: { placement: 'stable' },
    filesChanged: 2,
    fileCount: 5,
    urlCount: 4500,
  });
  const after = await liveFiles();
  expect(after.map(({ etag }, i) => etag === before[i]!.etag)).toEqual([true, false, true, true, false]);
  expect(after.map(({ last_modified }, i) => +last_modified === +before[i]!.last_modified)).toEqual([
    ...[true, false, true, true, false],
  ]);
  expect(await published()).toEqual(locsOf(next));
  // The staged files in the order of the list are garbage, file by file.
  expect(await fixture.garbage()).toContain(`${uploadPrefix(upload.uploadId)}1.`);
});

test('the same list in another order is unchanged, also in files with holes', async () => {
  await send(ALL.slice(0, 4500));
  await send(ALL.slice(0, 4500).filter((_, i) => i % 10 !== 0));
  const files = await liveFiles();
  expect(files).toHaveLength(5);
  const again = ALL.slice(0, 4500)
    .filter((_, i) => i % 10 !== 0)
    .toReversed();
  expect(await send(again, { force: false })).toMatchObject({ isUnchanged: true, fileCount: 5 });
  expect(await liveFiles()).toEqual(files);
});

test.each([
  ['asked for', { placement: 'order' }, { placement: 'order' }],
  ['size-limit', { sizeLimit: 'balanced' }, { placement: 'order', placementReason: 'size-limit' }],
])('in order: %s', async (_, members, placement) => {
  await send(ALL.slice(0, 3500));
  expect(await send(ALL.slice(1, 3500), members)).toMatchObject({ placement });
  expect(await published()).toEqual(locsOf(ALL.slice(1, 3500)));
});

test('in order: many changes, sparse files, and the same list again with force', async () => {
  await send(ALL.slice(0, 3000));
  const reason = (placementReason: string) => ({ placement: { placement: 'order', placementReason } });
  expect(await send(ALL.slice(1000, 4000))).toMatchObject(reason('many-changes'));
  expect(await send(ALL.slice(1000, 4000).toReversed())).toMatchObject(reason('forced'));
  await send(ALL, { placement: 'order' });
  expect(await send(ALL.filter((_, i) => i % 10 < 3 || i >= 5000))).toMatchObject({ fileCount: 6 });
  expect(await send(ALL.filter((_, i) => i % 10 < 1 || i >= 5500))).toMatchObject(reason('sparse'));
});

test('a sitemap with one file has nothing to place', async () => {
  await send(ALL.slice(0, 900));
  expect(await send(ALL.slice(0, 899))).not.toHaveProperty('placement');
});

test('an upload that is overtaken twice goes in order', async () => {
  await send(ALL.slice(0, 3000));
  let uploads = 0;
  const placementTurns = {
    run: async (_: string, task: () => Promise<unknown>) => {
      const placed = await task();
      uploads++;
      await send(ALL.slice(uploads, 3000), { placement: 'order' });
      return placed;
    },
  } as unknown as (typeof fixture.options)['placementTurns'];
  const upload = await fixture.upload(
    account,
    { domain: world.domain.hostname, sizeLimit: 'gsc-optimized', urls: ALL.slice(5, 3000) },
    { placementTurns },
  );
  expect(uploads).toBe(2);
  expect(upload).toMatchObject({
    placement: { placement: 'order', placementReason: 'overtaken' },
    generation: 4,
  });
  expect(await published()).toEqual(locsOf(ALL.slice(5, 3000)));
});

test('a lost file comes back by the cure that the doctor names, also if the list has changed', async () => {
  const large = bulkyEntries(40_000);
  await send(large, { sizeLimit: 'balanced' });
  const [, second] = await liveFiles();
  await storage.deleteMany([uploadFileKey(second!.upload_id, second!.upload_n)]);
  const changed = large.with(3, { ...large[3]!, loc: ALL[5000]!.loc.replace('https://', 'http://') });
  const problems = async () => (await world.findings()).map(({ problem }) => problem);
  // Nobody reads the lost file, because its entries are those of its hashes.
  expect(await send(changed, { sizeLimit: 'balanced' })).toMatchObject({
    placement: { placement: 'stable' },
  });
  expect(await problems()).toEqual(['missing file']);
  expect(CURES['missing file']).toContain('placement: order and force: true');
  await send(changed, { sizeLimit: 'balanced', placement: 'order' });
  expect(await problems()).toEqual([]);
});

test('a missing former file is no obstacle', async () => {
  await send(ALL.slice(0, 3000));
  const [file] = await liveFiles();
  await storage.deleteMany([`${uploadPrefix(file!.upload_id)}1.xml.gz`]);
  expect(await send(ALL.slice(1, 3000))).toMatchObject({
    placement: { placement: 'order', placementReason: 'unreadable' },
  });
  expect(await published()).toEqual(locsOf(ALL.slice(1, 3000)));
});

/** Makes all but the newest replaced generations of the domain due. */
async function endAllBut(kept: number): Promise<void> {
  await database.query(
    `UPDATE garbage SET collect_after = now() - interval '2 days' WHERE collect_after = 'infinity' AND prefix IN (
       SELECT 'uploads/' || u.id || '/' FROM uploads u
        WHERE u.domain_id = $1 AND u.seq < (SELECT max(seq) FROM uploads WHERE domain_id = $1) - $2)`,
    [world.domain.id, kept],
  );
  await database.query(
    `UPDATE garbage SET collect_after = now() WHERE collect_after < now() + interval '1 hour'`,
  );
  await world.collectNow();
}

test('any sequence of uploads, rollbacks and collections keeps exactly the entries of each kept generation', async () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('edit' as const),
        seed: fc.nat(99),
        cut: fc.nat(400),
        add: fc.nat(400),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('order' as const), seed: fc.nat(99) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('back' as const), by: fc.integer({ min: 1, max: 3 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('collect' as const), kept: fc.nat(3) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
      await world.renew();
      const lists = new Map<number, readonly Url[]>();
      let list: readonly Url[] = ALL.slice(0, 3300);
      let { generation } = await send(list);
      lists.set(generation, list);
      let oldestKept = 1;
      for (const one of steps) {
        if (one.kind === 'collect') {
          await endAllBut(one.kept);
          oldestKept = Math.max(oldestKept, generation - one.kept);
          expect(await published()).toEqual(locsOf(list));
          continue;
        }
        if (one.kind === 'back') {
          const to = generation - one.by;
          if (to < oldestKept) continue;
          const back = await rollBack(fixture.options, uploader, world.domain, '', to, {
            ifGeneration: undefined,
          });
          ({ generation } = back);
          list = lists.get(to)!;
        } else {
          if (one.kind === 'edit') {
            const from = one.seed * 30;
            const others = ALL.filter((url) => !list.includes(url)).slice(0, one.add);
            list = [...list.filter((_, i) => i < from || i >= from + one.cut), ...others];
          }
          list = list.toSorted(
            (a, b) => ((a.loc.length * 7 + one.seed) % 13) - ((b.loc.length * 7 + one.seed) % 13),
          );
          ({ generation } = await send(list, one.kind === 'order' ? { placement: 'order' } : {}));
        }
        lists.set(generation, list);
        expect(await published()).toEqual(locsOf(list));
      }
      expect(await world.findings()).toEqual([]);
      // Nothing is left over when all but the live generation has ended.
      await endAllBut(0);
      await endAllBut(0);
      expect(await published()).toEqual(locsOf(list));
      await world.expectNoOtherFiles();
    }),
    { numRuns: casesOf(8) },
  );
}, 300_000);

test('an upload that the guard holds is held in order, and what was placed is garbage', async () => {
  await send(ALL);
  const next = ALL.filter((_, i) => i % 10 < 3 || i >= 5000);
  await database.query('UPDATE domains SET max_removed_percent = 10 WHERE id = $1', [world.domain.id]);
  const held = await send(next, { force: false }).catch((error) => error);
  expect(held).toBeInstanceOf(GuardRefusal);
  const id: string = held.heldUploadId;
  const listed = await fixture.garbage();
  expect(listed).toContain(uploadPrefix(id));
  // The three files in order are followed by those that were placed.
  expect(
    listed.filter((prefix) => prefix.startsWith(`${uploadPrefix(id)}`) && prefix.endsWith('.')),
  ).not.toEqual([]);
  const answer = await fixture.publishHeld(account, id, { force: true });
  expect(answer).toMatchObject({ placement: { placement: 'order', placementReason: 'held' }, fileCount: 3 });
  expect(await published()).toEqual(locsOf(next));
});

test('an upload that exceeds the plan only by its holes goes in order', async () => {
  const next = ALL.filter((_, i) => i % 10 < 3 || i >= 5000);
  const more = [...next, ...ALL.slice(5, 10)];
  const sendAgain = async (storedBytes: number) => {
    const owner = await addAccount(database);
    const { hostname } = await addServedDomain(database, owner);
    const body = { domain: hostname, sizeLimit: 'gsc-optimized', force: true };
    await fixture.upload(owner, { ...body, urls: ALL });
    await fixture.upload(owner, { ...body, urls: next });
    return fixture.upload(owner, { ...body, urls: more }, { allowance: { storedBytes } });
  };
  const placed = await sendAgain(1e9);
  expect(placed).toMatchObject({ placement: { placement: 'stable' }, fileCount: 7 });
  const limited = await sendAgain(placed.gzipBytes - 1);
  expect(limited).toMatchObject({
    placement: { placement: 'order', placementReason: 'limits' },
    fileCount: 3,
  });
});
