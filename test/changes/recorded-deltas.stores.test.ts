/** The changes of a delta are recorded when it is published, and no comparison is lost by it (docs/decisions/0058). */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { compareSitemap } from '../../src/features/changes/compare-sitemap.ts';
import type { ChangeSink } from '../../src/features/changes/comparison.ts';
import { findSitemapChanges } from '../../src/features/changes/comparison-store.ts';
import { ComparisonThread } from '../../src/features/changes/comparison-thread.ts';
import { takeDueComparison } from '../../src/features/changes/due-comparison-store.ts';
import { openChanges } from '../../src/features/changes/open-changes.ts';
import { openDeltaRecord } from '../../src/features/changes/record-delta.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { SMALL_LANE } from '../../src/features/sites/due-comparison.ts';
import { addAccount, addServedDomain } from '../support/accounts.ts';
import { collect } from '../support/collect.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture } from '../uploads/upload-fixture.ts';

const fixture = await createUploadFixture({ seesUnchanged: true });
const { database, storage } = fixture;
const account = await addAccount(database);
const thread = new ComparisonThread();
afterAll(() => thread[Symbol.asyncDispose]());
const scope = new AsyncDisposableStack();
afterAll(() => scope.disposeAsync());
const changes = openChanges({ database, storage, scope });

const LIST = plainEntries(300);
const at = (i: number) => LIST[i]!.loc;
let domain: Domain;
let heard: string[];
const counted: object[] = [];

const openSink = async (): Promise<ChangeSink> => ({
  add: async (kind, locs) => void heard.push(...locs.map((loc) => `${kind} ${loc}`)),
  settle: async () => {},
  commit: async () => void heard.push('commit'),
  discard: async () => {},
});
const onCounted = async (_: unknown, { origins }: { readonly origins: readonly object[] }) =>
  void counted.push(...origins);

const upload = (urls: readonly object[]) => fixture.upload(account, { domain: domain.hostname, urls });
const change = (members: object) =>
  fixture.delta(
    account,
    { domain: domain.hostname, ...members },
    { openDeltaRecord: (delta) => openDeltaRecord({ database, storage, openSink, onCounted }, delta) },
  );

async function take() {
  await database.query(
    'UPDATE sitemaps SET comparing_until = now(), compare_at = now() WHERE compare_at IS NOT NULL',
  );
  return takeDueComparison(database, { lane: SMALL_LANE, after: '' });
}

const compare = async (due: Awaited<ReturnType<typeof take>>) =>
  compareSitemap({ database, storage, openSink, onCounted }, thread, due!, new AbortController().signal);

const changesNow = () => findSitemapChanges(database, domain.id, '');

beforeEach(async () => {
  domain = await addServedDomain(database, account);
  heard = [];
  counted.length = 0;
  const { uploadId } = await upload(LIST.slice(0, 200));
  const due = await take();
  expect(due).toMatchObject({ uploadId, formerUploadId: null });
  await compare(due);
  heard = [];
  counted.length = 0;
});

test('the changes of a delta are known at once, and nothing is compared', async () => {
  const { counts } = await change({
    upsert: [{ loc: at(250) }, { loc: at(1), priority: 0.3 }, { loc: at(2) }],
    remove: [at(5), at(299)],
  });
  expect(counts).toEqual({ added: 1, changed: 1, unchanged: 1, removed: 1, missing: 1 });
  expect(heard).toEqual([`added ${at(250)}`, `changed ${at(1)}`, `removed ${at(5)}`, 'commit']);
  const found = await changesNow();
  expect(found?.ended).toMatchObject({
    state: 'compared',
    counts: { added: 1, changed: 1, removed: 1 },
    samples: { added: [at(250)], changed: [at(1)], removed: [at(5)] },
  });
  const lines = Buffer.concat(await collect(changes.list(found!.uploadId, 0)))
    .toString()
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { change: 'added', loc: at(250) },
    { change: 'changed', loc: at(1) },
    { change: 'removed', loc: at(5) },
  ]);
  expect(await take()).toBeUndefined();
  // Page hosts hear only of other hosts.
  expect(counted).toEqual([]);
  await change({ upsert: [{ loc: 'https://other.example.com/' }] });
  expect(counted).toEqual([
    { origin: 'https://example.com', urlCount: 200 },
    { origin: 'https://other.example.com', urlCount: 1 },
  ]);
});

test('an upload after a delta is compared with the delta', async () => {
  await change({ upsert: [{ loc: at(250) }] });
  const delta = await changesNow();
  heard = [];
  const { uploadId } = await upload(LIST.slice(0, 200));
  const due = await take();
  expect(due).toMatchObject({ uploadId, formerUploadId: delta!.uploadId });
  await compare(due);
  expect(heard).toEqual([`removed ${at(250)}`, 'commit']);
});

test('an upload with deltas on it is still compared, and their changes are told once', async () => {
  const { uploadId } = await upload(LIST.slice(50, 250));
  await change({ upsert: [{ loc: at(260) }] });
  const due = await take();
  expect(due).toMatchObject({ uploadId, attempts: 1 });
  // While it is compared, another delta comes.
  await change({ remove: [at(60)] });
  heard = [];
  await compare(due);
  expect(heard).toHaveLength(101);
  expect(heard).not.toContain(`added ${at(260)}`);
  expect(heard).not.toContain(`removed ${at(60)}`);
  expect(await take()).toBeUndefined();
  const { rows } = await database.query(
    'SELECT compared_upload_id = upload_id AS "isCompared" FROM sitemaps WHERE domain_id = $1',
    [domain.id],
  );
  expect(rows).toEqual([{ isCompared: true }]);
});

test('if the upload below a delta is gone, the delta is compared in its place', async () => {
  for (const isEnded of [true, false]) {
    const { uploadId } = await upload(LIST.slice(isEnded ? 50 : 0, 250));
    await change({ upsert: [{ loc: at(isEnded ? 260 : 261) }] });
    if (isEnded) {
      const prefix = `uploads/${uploadId}/`;
      await database.query('UPDATE garbage SET ended_at = now() WHERE prefix = $1', [prefix]);
    } else await database.query('UPDATE uploads SET withdrawn = true WHERE id = $1', [uploadId]);
    const due = await take();
    const delta = await changesNow();
    expect(due).toMatchObject({ uploadId: delta!.uploadId });
    heard = [];
    await compare(due);
    expect(heard).toContain(`added ${at(isEnded ? 260 : 261)}`);
    expect((await changesNow())?.ended?.counts.added).toBeGreaterThan(1);
    expect(await take()).toBeUndefined();
  }
});

test('hosts that came with deltas are counted when the upload below them is compared', async () => {
  const other = 'https://other.example.com';
  const third = 'https://third.example.com';
  const hosts = (urls: number) => [
    { origin: 'https://example.com', urlCount: urls },
    { origin: other, urlCount: 1 },
  ];
  await upload(LIST.slice(50, 250));
  await change({ upsert: [{ loc: `${other}/1` }, { loc: `${third}/1` }] });
  await change({ remove: [at(60), `${third}/1`] });
  expect(counted).toEqual([]);
  await compare(await take());
  expect(counted).toEqual(hosts(199));
  // From now on, each delta knows them.
  counted.length = 0;
  await change({ remove: [at(61)] });
  await change({ upsert: [{ loc: `${third}/2` }] });
  expect(counted).toEqual([...hosts(198), { origin: third, urlCount: 1 }]);
});

test('a delta that was begun before the end of a comparison knows its hosts', async () => {
  await upload(LIST.slice(50, 250));
  const due = await take();
  const other = 'https://other.example.com';
  await fixture.delta(
    account,
    { domain: domain.hostname, upsert: [{ loc: `${other}/1` }] },
    {
      async openDeltaRecord(delta) {
        const record = await openDeltaRecord({ database, storage, openSink, onCounted }, delta);
        await compare(due);
        counted.length = 0;
        return record;
      },
    },
  );
  expect(counted).toEqual([
    { origin: 'https://example.com', urlCount: 200 },
    { origin: other, urlCount: 1 },
  ]);
});

test('if a delta is compared in place of the upload below it, hosts of later deltas are counted once', async () => {
  const other = 'https://other.example.com';
  const { uploadId } = await upload(LIST.slice(50, 250));
  await change({ upsert: [{ loc: `${other}/1` }] });
  await database.query('UPDATE uploads SET withdrawn = true WHERE id = $1', [uploadId]);
  const due = await take();
  expect(due).toMatchObject({ uploadId: (await changesNow())!.uploadId });
  await compare(due);
  expect(counted).toEqual([
    { origin: 'https://example.com', urlCount: 200 },
    { origin: other, urlCount: 1 },
  ]);
});

test('attempts to compare an upload count, whatever deltas come', async () => {
  await upload(LIST.slice(50, 250));
  expect(await take()).toMatchObject({ attempts: 1 });
  await change({ upsert: [{ loc: at(260) }] });
  expect(await take()).toMatchObject({ attempts: 2 });
  await change({ upsert: [{ loc: at(261) }] });
  expect(await take()).toMatchObject({ attempts: 3 });
});
