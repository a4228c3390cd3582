import { gunzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { compareSitemap } from '../../src/features/changes/compare-sitemap.ts';
import type { OnCounted, OpenChangeSink } from '../../src/features/changes/comparison.ts';
import { findChangesList, findSitemapChanges } from '../../src/features/changes/comparison-store.ts';
import { ComparisonThread } from '../../src/features/changes/comparison-thread.ts';
import {
  type DueComparison,
  sweepComparisons,
  takeDueComparison,
} from '../../src/features/changes/due-comparison-store.ts';
import { giveUpComparison } from '../../src/features/changes/record-comparison.ts';
import {
  type WorkOnComparisonOptions,
  workOnComparison,
} from '../../src/features/changes/work-on-comparison.ts';
import { deleteDomain } from '../../src/features/domains/delete-domain.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import type { ChangeKind } from '../../src/features/entries/entry-kernel.ts';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import { LARGE_LANE, SMALL_LANE } from '../../src/features/sites/due-comparison.ts';
import { endGenerations, markObjects } from '../../src/features/sites/garbage-store.ts';
import {
  changesKey,
  fileHashesKey,
  listingKey,
  uploadFileKey,
  uploadPrefix,
} from '../../src/features/sites/site.ts';
import { readSmallFiles } from '../../src/features/sites/small-file-store.ts';
import { deleteSitemap } from '../../src/features/uploads/delete-sitemap.ts';
import { rollBack } from '../../src/features/uploads/publishing/roll-back.ts';
import { LeaseLost } from '../../src/platform/postgres/lease.ts';
import { type ObjectStorage, readObject } from '../../src/platform/storage/object-storage.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { bulkyEntries, plainEntries } from '../uploads/batches.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';

const fixture = await createUploadFixture();
const { database, storage } = fixture;
const thread = new ComparisonThread();
afterAll(() => thread[Symbol.asyncDispose]());
const account = await addAccount(database, 'enterprise');
const never = new AbortController().signal;

/** Returns a sink, and the changes that it got. */
function listen() {
  const heard = {
    opened: [] as object[],
    changes: { added: [], changed: [], removed: [] } as Record<ChangeKind, string[]>,
    ends: [] as string[],
    counted: [] as object[],
  };
  const openSink: OpenChangeSink = async (comparison) => {
    heard.opened.push(comparison);
    return {
      add: async (kind, locs) => void heard.changes[kind].push(...locs),
      settle: async () => {},
      commit: async () => void heard.ends.push('commit'),
      discard: async () => void heard.ends.push('discard'),
    };
  };
  const onCounted: OnCounted = async (_transaction, { origins }) => void heard.counted.push(...origins);
  return { heard, openSink, onCounted };
}

const optionsWith = (changed: Partial<WorkOnComparisonOptions> = {}): WorkOnComparisonOptions => ({
  ...{ database, storage, log: collectLog() },
  ...listen(),
  ...changed,
});
const takeIn = (lane: number, after = '') => takeDueComparison(database, { lane, after });
/** Leases have ended, and pauses. */
const passTime = () =>
  database.query(
    'UPDATE sitemaps SET comparing_until = now(), compare_at = now() WHERE compare_at IS NOT NULL',
  );
const take = async () => {
  await passTime();
  return takeIn(SMALL_LANE);
};
const upload = (hostname: string, urls: readonly object[], more: object = {}) =>
  fixture.upload(account, { domain: hostname, sizeLimit: 'gsc-optimized', urls, ...more });

async function compare(changed: Partial<WorkOnComparisonOptions> = {}, due?: DueComparison) {
  const listeners = listen();
  const taken = due ?? (await take());
  const ended = await compareSitemap(optionsWith({ ...listeners, ...changed }), thread, taken!, never);
  return { ...listeners.heard, ended };
}

beforeEach(async () => {
  await database.query('UPDATE sitemaps SET compared_upload_id = upload_id');
});

test('a first upload opens no sink, and its URLs are counted by origin', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const urls = [...plainEntries(1200), { loc: 'http://other.example:8080/x' }];
  const { uploadId } = await upload(hostname, urls);
  expect(await findSitemapChanges(database, id, '')).toEqual({
    uploadId,
    formerUploadId: null,
    ended: undefined,
  });
  const { ended, opened, counted } = await compare();
  expect(ended).toMatchObject({ state: 'first', counts: { added: 0, changed: 0, removed: 0 }, parts: 0 });
  expect(opened).toEqual([]);
  expect(counted).toEqual([
    { origin: 'https://example.com', urlCount: 1200 },
    { origin: 'http://other.example:8080', urlCount: 1 },
  ]);
  expect(await take()).toBeUndefined();
});

test('an upload whose former one has another version of the XML is rewritten: no sink, all URLs are counted', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const former = await upload(hostname, plainEntries(1200));
  await compare();
  await database.query('UPDATE uploads SET xml_version = 0 WHERE id = $1', [former.uploadId]);
  await upload(hostname, plainEntries(1100));
  const { ended, opened, counted } = await compare();
  expect(ended).toMatchObject({
    state: 'rewritten',
    counts: { added: 0, changed: 0, removed: 0 },
    samples: { added: [], changed: [], removed: [] },
    parts: 0,
  });
  expect(opened).toEqual([]);
  expect(counted).toEqual([{ origin: 'https://example.com', urlCount: 1100 }]);
  expect(await findSitemapChanges(database, id, '')).toMatchObject({ ended: { state: 'rewritten' } });
  // The next one is compared with it as usual. Uploads from before versions were recorded have version 1.
  await database.query('UPDATE uploads SET xml_version = NULL WHERE domain_id = $1', [id]);
  await upload(hostname, plainEntries(1101));
  expect((await compare()).ended).toMatchObject({ state: 'compared', counts: { added: 1 } });
});

test('the next upload is compared with it: the sink, the stored lines, the row and the counts agree', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const former = await upload(hostname, plainEntries(2500));
  await compare();
  const changed = { loc: 'https://example.com/2300', priority: 1 };
  const live = [...plainEntries(2000), ...plainEntries(399, 2101).filter(({ loc }) => loc !== changed.loc)];
  const { uploadId } = await upload(hostname, [...live, changed, { loc: 'https://new.example/' }]);
  const { ended, opened, changes, ends, counted } = await compare();
  expect(opened).toEqual([
    {
      ...{ accountId: account, domainId: id, hostname, sitemapName: '', uploadId },
      formerUploadId: former.uploadId,
    },
  ]);
  expect(ends).toEqual(['commit']);
  expect(changes.added).toEqual(['https://new.example/']);
  expect(changes.changed).toEqual([changed.loc]);
  expect(changes.removed.sort()).toEqual(plainEntries(101, 2000).map(({ loc }) => loc));
  expect(ended).toMatchObject({
    state: 'compared',
    counts: { added: 1, changed: 1, removed: 101 },
    parts: 0,
  });
  expect(ended.samples.removed).toHaveLength(100);
  expect(counted).toEqual([
    { origin: 'https://example.com', urlCount: 2399 },
    { origin: 'https://new.example', urlCount: 1 },
  ]);
  expect(await fixture.keys(changesKey(uploadId, 1))).toEqual([]);
  const lines = linesOf(await findChangesList(database, uploadId));
  expect(lines).toHaveLength(104);
  expect(lines).toContain('{"change":"added","loc":"https://new.example/"}');
  const found = await findSitemapChanges(database, id, '');
  expect(found).toMatchObject({ uploadId, formerUploadId: former.uploadId, ended });
});

const linesOf = (gzip: Buffer | undefined) => gunzipSync(gzip!).toString().split('\n');
/** The lines of an object of changes. */
const storedLines = async (uploadId: string, n: number) =>
  linesOf(await readObject(storage, changesKey(uploadId, n)));

test('a list of more than 16 KiB is an object', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await upload(hostname, plainEntries(1));
  await compare();
  const { uploadId } = await upload(hostname, [...plainEntries(1), ...bulkyEntries(700)]);
  expect(await compare()).toMatchObject({ ended: { parts: 1 } });
  expect(await findChangesList(database, uploadId)).toBeUndefined();
  expect(await storedLines(uploadId, 1)).toHaveLength(701);
});

test('a list of several parts is in objects, even if its first part is small', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await upload(hostname, plainEntries(2));
  await compare();
  const urls = Array.from({ length: 1100 }, (_, n) => ({
    loc: `https://example.com/${'a'.repeat(2000)}${n}`,
  }));
  const { uploadId } = await upload(hostname, [...plainEntries(1), ...urls]);
  expect(await compare()).toMatchObject({ ended: { parts: 2 } });
  expect(await findChangesList(database, uploadId)).toBeUndefined();
  expect((await readObject(storage, changesKey(uploadId, 1)))!.length).toBeLessThan(16 * 1024);
  const lines = [...(await storedLines(uploadId, 1)), ...(await storedLines(uploadId, 2))];
  expect(lines.filter(Boolean)).toHaveLength(1101);
});

test('an object that is stored beside an upload while its list is stored is deleted with the upload', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await upload(hostname, plainEntries(2));
  await compare();
  // All files are small, and the list is not.
  const { uploadId } = await upload(hostname, plainEntries(9000));
  expect(await fixture.keys(uploadPrefix(uploadId))).toEqual([]);
  const put: ObjectStorage['put'] = async (key, parts) => {
    await storage.put(key, parts);
    if (!key.includes('/changes-')) return;
    await markObjects(database, [uploadId]);
    await storage.put(listingKey(uploadId), [Buffer.from('{}')]);
  };
  const { ended } = await compare({ storage: { get: storage.get.bind(storage), put } });
  expect(ended).toMatchObject({ parts: 1 });
  await upload(hostname, plainEntries(9001));
  await compare();
  await database.query('UPDATE garbage SET collect_after = now() WHERE prefix = $1', [
    uploadPrefix(uploadId),
  ]);
  const terms = { keepReplacedMs: DAY_MS, replacedBytes: {} };
  await collectGarbage({ database, storage, log: collectLog(), ...terms });
  expect(await fixture.keys(uploadPrefix(uploadId))).toEqual([]);
});

test('uploads that follow a first one at once are compared with it', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const first = await upload(hostname, plainEntries(3));
  await upload(hostname, plainEntries(10));
  await upload(hostname, plainEntries(4));
  const { ended, opened, changes, counted } = await compare();
  expect(opened).toMatchObject([{ formerUploadId: first.uploadId }]);
  expect(changes.added).toEqual(['https://example.com/3']);
  expect(ended).toMatchObject({ state: 'compared', counts: { added: 1, changed: 0, removed: 0 } });
  expect(counted).toEqual([{ origin: 'https://example.com', urlCount: 4 }]);
});

test('between two comparisons of a sitemap there is a pause', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await upload(hostname, plainEntries(1));
  await compare();
  await upload(hostname, plainEntries(2));
  expect(await takeIn(SMALL_LANE)).toBeUndefined();
  await database.query("UPDATE sitemaps SET compare_at = compare_at - interval '10 seconds'");
  expect(await takeIn(SMALL_LANE)).toMatchObject({ hostname });
});

test.each([
  ['ended', 'compared_at'],
  ['died', 'comparing_until'],
])(
  'a comparison that %s while the clock was years ahead delays the next one for a minute',
  async (_, column) => {
    const { hostname } = await addVerifiedDomain(database, account);
    await upload(hostname, plainEntries(1));
    await compare();
    await database.query(`UPDATE sitemaps SET ${column} = now() + interval '4 years'`);
    await upload(hostname, plainEntries(2));
    await database.query("UPDATE sitemaps SET compare_at = compare_at - interval '1 minute'");
    expect(await takeIn(SMALL_LANE)).toMatchObject({ hostname });
  },
);

/** Says which files were read. */
function watched(): { storage: ObjectStorage; read: string[] } {
  const read: string[] = [];
  const get: ObjectStorage['get'] = (key, range) => {
    read.push(key);
    return storage.get(key, range);
  };
  return { storage: { put: storage.put.bind(storage), get } as ObjectStorage, read };
}

test('files of equal content are not read, and the counts by origin stay right', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const { uploadId: first } = await upload(hostname, bulkyEntries(2500));
  await compare();
  const { uploadId: second } = await upload(hostname, bulkyEntries(2600));
  const one = watched();
  const { counted } = await compare({ storage: one.storage });
  expect(counted).toEqual([{ origin: 'https://example.com', urlCount: 2600 }]);
  expect([...new Set(one.read)].sort()).toEqual([uploadFileKey(first, 3), uploadFileKey(second, 3)].sort());
  await upload(hostname, bulkyEntries(2600));
  const again = watched();
  const same = await compare({ storage: again.storage });
  expect(same.ended).toMatchObject({ state: 'compared', counts: { added: 0, changed: 0, removed: 0 } });
  expect(same.ends).toEqual(['commit']);
  expect(same.counted).toEqual([{ origin: 'https://example.com', urlCount: 2600 }]);
  expect(again.read).toEqual([]);
});

test('an upload of several large files stores hashes of them, and comparisons read no others', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const urls = plainEntries(20_001);
  const balanced = (list: readonly object[], more: object = {}) =>
    upload(hostname, list, { sizeLimit: 'balanced', ...more });
  const { uploadId: first } = await balanced(urls);
  const hashes = (uploadId: string) => [1, 2].map((n) => fileHashesKey(uploadId, n));
  const stored = async (uploadId: string) =>
    (await fixture.keys(uploadPrefix(uploadId))).filter((key) => key.endsWith('.hashes'));
  expect(await stored(first)).toEqual(hashes(first));
  const one = watched();
  const { counted } = await compare({ storage: one.storage });
  expect(counted).toEqual([{ origin: 'https://example.com', urlCount: 20_001 }]);
  expect([...new Set(one.read)].sort()).toEqual(hashes(first));

  const changed = urls.toReversed().with(5, { loc: 'https://example.com/new' });
  const { uploadId: second } = await balanced(changed);
  const two = watched();
  const { changes } = await compare({ storage: two.storage });
  expect(changes).toEqual({
    added: ['https://example.com/new'],
    changed: [],
    removed: [urls.at(-6)!.loc],
  });
  const files = [uploadFileKey(first, 2), uploadFileKey(second, 1)];
  expect([...new Set(two.read)].sort()).toEqual([...hashes(first), ...hashes(second), ...files].sort());

  // Lost hashes cost time and nothing else.
  await storage.deleteMany([...hashes(second), fileHashesKey(first, 1)]);
  await balanced(urls, { force: true });
  expect((await compare()).changes).toEqual({
    added: [urls.at(-6)!.loc],
    changed: [],
    removed: ['https://example.com/new'],
  });
});

test('the hashes of a refused upload are deleted with its files', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const before = await fixture.keys('uploads/');
  const refused = { sizeLimit: 'balanced', expectedUrlCount: 1 };
  await expect(upload(hostname, plainEntries(20_001), refused)).rejects.toThrow('expectedUrlCount');
  expect(await fixture.keys('uploads/')).toEqual(before);
});

test('the small files of both uploads come by one statement, and nothing from the store', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await upload(hostname, plainEntries(2500));
  await compare();
  const urls = plainEntries(2500).map((entry, i) => (i % 1000 === 0 ? { ...entry, priority: 1 } : entry));
  await upload(hostname, urls);
  const store = watched();
  const statements: string[] = [];
  const query: typeof database.query = (given: string | { readonly text: string }, ...rest: never[]) => {
    statements.push(typeof given === 'string' ? given : given.text);
    return database.query(given as string, ...rest);
  };
  const counting = Object.assign(Object.create(database), { query });
  const { ended } = await compare({ storage: store.storage, database: counting });
  expect(ended).toMatchObject({ state: 'compared', counts: { added: 0, changed: 3, removed: 0 } });
  expect(store.read).toEqual([]);
  expect(statements.filter((text) => text.includes('small_files'))).toHaveLength(1);
});

test('without known counts all files are read, for instance after an upgrade', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await upload(hostname, plainEntries(2500));
  await database.query('UPDATE sitemaps SET compared_upload_id = upload_id');
  await upload(hostname, plainEntries(2600));
  const { ended, counted } = await compare();
  expect(ended).toMatchObject({ state: 'compared', counts: { added: 100, changed: 0, removed: 0 } });
  expect(counted).toEqual([{ origin: 'https://example.com', urlCount: 2600 }]);
});

test('uploads that were replaced before a comparison are skipped', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const { uploadId } = await upload(hostname, plainEntries(10));
  await compare();
  await upload(hostname, plainEntries(1000, 5000));
  await upload(hostname, plainEntries(12));
  const { ended, opened } = await compare();
  expect(opened).toMatchObject([{ formerUploadId: uploadId }]);
  expect(ended.counts).toEqual({ added: 2, changed: 0, removed: 0 });
});

test('an upload that is replaced during its comparison is not recorded; the next comparison starts anew', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await upload(hostname, plainEntries(10));
  await compare();
  await upload(hostname, plainEntries(11));
  const listeners = listen();
  const openSink: OpenChangeSink = async (comparison) => {
    await upload(hostname, plainEntries(13));
    return listeners.openSink(comparison);
  };
  await expect(compare({ ...listeners, openSink })).rejects.toThrow(LeaseLost);
  expect(listeners.heard.ends).toEqual(['discard']);
  expect(listeners.heard.counted).toEqual([]);
  expect((await compare()).ended.counts).toEqual({ added: 3, changed: 0, removed: 0 });
});

describe('a sitemap that goes away during its comparison is forgotten:', () => {
  const { openChange } = fixture.options;
  test.each<[string, (domain: Domain) => Promise<void>]>([
    [
      'the sitemap is deleted',
      async (domain) => void (await deleteSitemap({ openChange, keepReplacedMs: DAY_MS }, domain, '')),
    ],
    [
      'the domain is deleted',
      (domain) =>
        deleteDomain(
          {
            openChange,
            discardUploads: (transaction, domainId) => endGenerations(transaction, { domainId }, DAY_MS),
            onUnserved: async () => {},
          },
          domain,
        ),
    ],
  ])('%s', async (_, goAway) => {
    const domain = await addVerifiedDomain(database, account);
    const { hostname } = domain;
    await upload(hostname, plainEntries(10));
    await compare();
    await upload(hostname, plainEntries(11));
    const listeners = listen();
    const openSink: OpenChangeSink = async (comparison) => {
      await goAway(domain);
      return listeners.openSink(comparison);
    };
    const due = (await take())!;
    const log = collectLog();
    await workOnComparison(optionsWith({ ...listeners, openSink, log }), thread, due, never);
    expect(log.lines).toEqual([]);
    expect(listeners.heard.ends).toEqual(['discard']);
    expect(await take()).toBeUndefined();
    const { rowCount } = await database.query('SELECT FROM comparisons WHERE upload_id = $1', [due.uploadId]);
    expect(rowCount).toBe(0);
    // All objects beside the upload are deleted with it.
    expect(await fixture.garbage()).toContain(uploadPrefix(due.uploadId));
  });
});

test('another holder of the lease records nothing', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await upload(hostname, plainEntries(10));
  const late = (await take())!;
  const due = (await take())!;
  expect(due.attempts).toBe(2);
  await expect(compare({}, late)).rejects.toThrow(LeaseLost);
  expect((await compare({}, due)).ended.state).toBe('first');
});

describe('the former upload', () => {
  const garbageOptions = { database, storage, log: collectLog(), keepReplacedMs: 0, replacedBytes: {} };
  const collect = () => collectGarbage(garbageOptions);
  /** Small ones, or the objects of others. */
  const hasFiles = async (uploadId: string) =>
    (await fixture.keys(uploadPrefix(uploadId))).length > 0 ||
    (await readSmallFiles(database, [uploadId])).size > 0;

  test.each([
    ['small files', plainEntries, {}],
    ['objects', (count: number) => bulkyEntries(100 * count), {}],
    ['objects with hashes', (count: number) => plainEntries(20_000 + count), { sizeLimit: 'balanced' }],
  ])('is kept until the comparison, then collected: %s', async (_, entriesOf, more) => {
    const { hostname } = await addVerifiedDomain(database, account);
    const { uploadId } = await upload(hostname, entriesOf(10), more);
    await compare();
    await upload(hostname, entriesOf(11), more);
    await database.query('UPDATE garbage SET collect_after = now()');
    await collect();
    expect(await hasFiles(uploadId)).toBe(true);
    expect((await compare()).ended.state).toBe('compared');
    await collect();
    expect(await hasFiles(uploadId)).toBe(false);
  });

  test('is not kept for longer than a day; without it the comparison is unknown, and the live one is the next base', async () => {
    const { hostname, id } = await addVerifiedDomain(database, account);
    const { uploadId } = await upload(hostname, plainEntries(10));
    await compare();
    await upload(hostname, plainEntries(11));
    await database.query(`UPDATE garbage SET collect_after = now() - interval '25 hours'`);
    await collect();
    expect(await hasFiles(uploadId)).toBe(false);
    const { ended, opened, counted } = await compare();
    expect(ended.state).toBe('unknown');
    expect(opened).toEqual([]);
    expect(counted).toEqual([{ origin: 'https://example.com', urlCount: 11 }]);
    expect(await findSitemapChanges(database, id, '')).toMatchObject({ formerUploadId: uploadId });
    await upload(hostname, plainEntries(14));
    expect((await compare()).ended).toMatchObject({ state: 'compared', counts: { added: 3 } });
  });

  test('and the live one are kept while they are compared, even when the live one was replaced', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    const { uploadId } = await upload(hostname, plainEntries(10));
    const due = (await take())!;
    await upload(hostname, plainEntries(11));
    await database.query(`UPDATE garbage SET collect_after = now() - interval '25 hours'`);
    await collect();
    expect(await hasFiles(uploadId)).toBe(true);
    await workOnComparison(optionsWith(), thread, due, never);
    await collect();
    expect(await hasFiles(uploadId)).toBe(false);
  });
});

describe('failures:', () => {
  async function twoUploads() {
    const domain = await addVerifiedDomain(database, account);
    await upload(domain.hostname, bulkyEntries(1900));
    await compare();
    const { uploadId } = await upload(domain.hostname, bulkyEntries(1800));
    return { ...domain, uploadId };
  }
  const work = async (changed: Partial<WorkOnComparisonOptions> = {}, through = thread) => {
    const outcomes: string[] = [];
    const due = await take();
    if (due === undefined) return 'nothing is due';
    const report = (outcome: string) => void outcomes.push(outcome);
    await workOnComparison(optionsWith({ ...changed, report }), through, due, never);
    return outcomes.join();
  };

  test('a damaged file is tried some times, then the comparison is given up', async () => {
    const { id, uploadId } = await twoUploads();
    await storage.put(uploadFileKey(uploadId, 2), [Buffer.from('not gzip')]);
    for (let attempt = 1; attempt <= 5; attempt++) expect(await work()).toBe('failed');
    expect(await work()).toBe('unknown');
    expect(await work()).toBe('nothing is due');
    expect(await findSitemapChanges(database, id, '')).toMatchObject({ ended: { state: 'unknown' } });
  });

  test('an outage of the store does not count', async () => {
    await twoUploads();
    const get = () => Promise.reject(new Error('down'));
    for (let attempt = 1; attempt <= 8; attempt++) {
      expect(await work({ storage: { ...storage, get, put: storage.put.bind(storage) } })).toBe('failed');
    }
    expect(await work()).toBe('compared');
  });

  test('a failed comparison waits before it is tried again', async () => {
    const { uploadId } = await twoUploads();
    await storage.deleteMany([uploadFileKey(uploadId, 2)]);
    expect(await work()).toBe('failed');
    expect(await takeIn(SMALL_LANE)).toBeUndefined();
  });

  test('a newer upload does not wait for that', async () => {
    const { hostname, uploadId } = await twoUploads();
    await storage.deleteMany([uploadFileKey(uploadId, 2)]);
    expect(await work()).toBe('failed');
    await database.query("UPDATE sitemaps SET compared_at = now() - interval '10 seconds'");
    await upload(hostname, bulkyEntries(1700));
    const due = await takeIn(SMALL_LANE);
    expect((await compare({}, due)).ended).toMatchObject({ state: 'compared', counts: { removed: 200 } });
  });

  test('a sink is discarded when nothing is on its way to it any more', async () => {
    await twoUploads();
    const calls: string[] = [];
    const ending = new AbortController();
    const openSink: OpenChangeSink = async () => ({
      async add() {
        calls.push('add begins');
        ending.abort();
        await new Promise((resolve) => setImmediate(resolve));
        calls.push('add ends');
      },
      settle: async () => {},
      commit: async () => void calls.push('commit'),
      discard: async () => void calls.push('discard'),
    });
    await workOnComparison(optionsWith({ openSink }), thread, (await take())!, ending.signal);
    expect(calls).toEqual(['add begins', 'add ends', 'discard']);
  });

  test('a sink that fails is discarded, and the next one gets everything', async () => {
    await twoUploads();
    const failing = listen();
    const openSink: OpenChangeSink = async (comparison) => ({
      ...(await failing.openSink(comparison))!,
      add: () => Promise.reject(new Error('full')),
    });
    expect(await work({ openSink })).toBe('failed');
    expect(failing.heard.ends).toEqual(['discard']);
    const next = listen();
    expect(await work({ openSink: next.openSink })).toBe('compared');
    expect(next.heard.changes.removed).toHaveLength(100);
  });

  // workers/faulty.ts reads its deed from the task.
  test.each([
    ['it exits', 1],
    ['it throws', 2],
    ['it never ends', 3],
  ])('a thread that fails costs only its comparison: %s', async (_, maxSlots) => {
    await twoUploads();
    const worker = new URL('./workers/faulty.ts', import.meta.url);
    await using faulty = new ComparisonThread({ worker, silenceMs: maxSlots === 3 ? 1_000 : 60_000 });
    expect(await work({ maxSlots }, faulty)).toBe('failed');
    expect(await work()).toBe('compared');
  });

  test('a process that ends gives the comparison back at once', async () => {
    await twoUploads();
    const due = (await take())!;
    const ending = new AbortController();
    const openSink: OpenChangeSink = async () => {
      ending.abort();
      return undefined;
    };
    await workOnComparison(optionsWith({ openSink }), thread, due, ending.signal);
    expect((await compare()).ended.counts.removed).toBe(100);
  });

  test('a small table is cut into slices, and begins again if too many URLs are new', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    await upload(hostname, plainEntries(3000));
    await compare();
    await upload(hostname, plainEntries(3000, 2500));
    const { ended, ends, opened } = await compare({ maxSlots: 1000 });
    expect(ended.counts).toEqual({ added: 2500, changed: 0, removed: 2500 });
    expect(ends).toEqual(['discard', 'commit']);
    expect(opened).toHaveLength(2);
  });

  test('a comparison can be given up', async () => {
    await twoUploads();
    await giveUpComparison(optionsWith(), (await take())!);
    expect(await take()).toBeUndefined();
  });
});

describe('what is due', () => {
  test('accounts take turns, and a suspended account waits', async () => {
    const accounts = await Promise.all(Array.from({ length: 3 }, () => addAccount(database, 'enterprise')));
    for (const owner of accounts) {
      const { hostname } = await addVerifiedDomain(database, owner);
      for (const sitemapName of ['a', 'b', 'c']) {
        await fixture.upload(owner, { domain: hostname, sitemapName, urls: plainEntries(2) });
      }
    }
    await database.query('UPDATE accounts SET suspended_at = now() WHERE id = $1', [accounts[2]]);
    const turns: string[] = [];
    for (let after = ''; ; ) {
      const due = await takeIn(SMALL_LANE, after);
      if (due === undefined) break;
      after = due.accountId;
      turns.push(due.accountId);
    }
    const [a, b] = accounts.slice(0, 2).sort();
    expect(turns).toEqual([a, b, a, b, a, b]);
    await database.query('UPDATE accounts SET suspended_at = NULL');
    expect((await takeIn(SMALL_LANE))?.accountId).toBe(accounts[2]);
  });

  test('large and small comparisons are taken apart, by the URLs of both uploads', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    await upload(hostname, plainEntries(60));
    await compare();
    await database.query('UPDATE uploads SET url_count = 999_990 WHERE url_count = 60');
    await upload(hostname, plainEntries(11), { force: true });
    expect(await take()).toBeUndefined();
    expect(await takeIn(LARGE_LANE)).toMatchObject({ hostname });
    // A small one that follows waits with it.
    await upload(hostname, plainEntries(5), { force: true });
    expect(await take()).toBeUndefined();
    expect(await takeIn(LARGE_LANE)).toMatchObject({ hostname });
  });

  test('what a process of the version before this one publishes or compares is found by the sweep', async () => {
    const { hostname, id } = await addVerifiedDomain(database, account);
    await upload(hostname, plainEntries(3));
    await database.query(
      'UPDATE sitemaps SET compare_at = NULL, compare_account = NULL, compare_lane = NULL WHERE domain_id = $1',
      [id],
    );
    expect(await take()).toBeUndefined();
    await sweepComparisons(database);
    expect(await takeIn(SMALL_LANE)).toMatchObject({ hostname, accountId: account });
    await database.query('UPDATE sitemaps SET compared_upload_id = upload_id WHERE domain_id = $1', [id]);
    expect(await take()).toBeUndefined();
    await sweepComparisons(database);
    const { rows } = await database.query('SELECT compare_at AS at FROM sitemaps WHERE domain_id = $1', [id]);
    expect(rows).toEqual([{ at: null }]);
  });
});

test('a rollback is compared with what was live before it, and the next upload with the rollback', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const domain = { id, hostname };
  await upload(hostname, plainEntries(2500));
  await upload(hostname, plainEntries(1500));
  await database.query('UPDATE sitemaps SET compared_upload_id = upload_id');
  const uploader = await fixture.uploaderOf(account);
  const back = await rollBack(fixture.options, uploader, domain, '', 1, { ifGeneration: undefined });
  const { ended, changes } = await compare();
  expect(ended).toMatchObject({ state: 'compared', counts: { added: 1000, changed: 0, removed: 0 } });
  expect(changes.added.sort()).toEqual(
    plainEntries(1000, 1500)
      .map(({ loc }) => loc)
      .sort(),
  );
  expect(await findSitemapChanges(database, id, '')).toMatchObject({ uploadId: back.uploadId });

  await upload(hostname, plainEntries(2400));
  const next = await compare();
  expect(next.opened).toMatchObject([{ formerUploadId: back.uploadId }]);
  expect(next.ended).toMatchObject({ state: 'compared', counts: { added: 0, changed: 0, removed: 100 } });
});
