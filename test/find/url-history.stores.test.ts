import fc from 'fast-check';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { compareSitemap } from '../../src/features/changes/compare-sitemap.ts';
import { ComparisonThread } from '../../src/features/changes/comparison-thread.ts';
import { takeDueComparison } from '../../src/features/changes/due-comparison-store.ts';
import { openFind } from '../../src/features/find/open-find.ts';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import { LARGE_LANE, SMALL_LANE } from '../../src/features/sites/due-comparison.ts';
import { changesKey } from '../../src/features/sites/site.ts';
import { deleteSitemap } from '../../src/features/uploads/delete-sitemap.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { casesOf } from '../support/property-runs.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';

const fixture = await createUploadFixture();
const { database, storage } = fixture;
const thread = new ComparisonThread();
afterAll(() => thread[Symbol.asyncDispose]());
const account = await addAccount(database, 'enterprise');
const room = openFind({ database, storage });
const never = new AbortController().signal;

const locOf = (n: number) => `https://example.com/${n}?a="${n}"&ü`;

function find(url: string, domainId?: string) {
  const domainIds = domainId === undefined ? null : [domainId];
  return room.find({ accountId: account, domainIds, sitemapNames: null }, url);
}

async function compareAll(): Promise<void> {
  await database.query(
    'UPDATE sitemaps SET comparing_until = now(), compare_at = now() WHERE compare_at IS NOT NULL',
  );
  for (const lane of [SMALL_LANE, LARGE_LANE]) {
    for (;;) {
      const due = await takeDueComparison(database, { lane, after: '' });
      if (due === undefined) break;
      const options = { database, storage, openSink: async () => undefined, onCounted: async () => {} };
      await compareSitemap(options, thread, due, never);
    }
  }
}

beforeEach(async () => {
  await database.query('UPDATE sitemaps SET compared_upload_id = upload_id, compare_at = NULL');
});

const of = (past: { readonly generation: number } | undefined | null) => past?.generation;

test('the past of a URL is what a naive model says of the generations that were compared', async () => {
  const generation = fc.record({
    // The version of each of four URLs; 0: it is not there.
    versions: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2), fc.nat(2)),
    isCompared: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(generation, { minLength: 1, maxLength: 6 }), async (generations) => {
      const { hostname, id } = await addVerifiedDomain(database, account);
      const compared: { seq: number; versions: readonly number[] }[] = [];
      let seq = 0;
      for (const [i, { versions, isCompared }] of generations.entries()) {
        const urls = versions.flatMap((version, n) =>
          version === 0 ? [] : [{ loc: locOf(n), priority: version / 10 }],
        );
        const all = [{ loc: 'https://example.com/always' }, ...urls];
        // An upload without a change is a generation, too.
        await fixture.upload(account, { domain: hostname, force: true, urls: all });
        seq++;
        // The first one is the base of the next. If the last one is not compared, nothing is known.
        if (!isCompared && i > 0 && i < generations.length - 1) continue;
        await compareAll();
        compared.push({ seq, versions });
      }
      for (const n of [0, 1, 2, 3]) {
        const history = compared.map((one) => ({ seq: one.seq, version: one.versions[n]! }));
        const found = await find(locOf(n), id);
        if (history.at(-1)!.version === 0) {
          const at = history.findLastIndex(
            ({ version }, i) => i > 0 && version === 0 && history[i - 1]!.version > 0,
          );
          expect(of(found.removed)).toBe(history[at]?.seq);
          expect(found.removed?.formerGeneration).toBe(history[at - 1]?.seq);
          continue;
        }
        const [place] = found.places;
        const since = history.findLastIndex(({ version }) => version === 0) + 1;
        const change = history.findLastIndex(
          ({ version }, i) => i > since && version !== history[i - 1]!.version,
        );
        expect(of(place!.added)).toBe(history[since]!.seq);
        expect(of(place!.changed)).toBe(history[change]?.seq);
        expect(found.removed).toBeUndefined();
      }
    }),
    { numRuns: casesOf(12) },
  );
});

test('the past tells how many others were treated alike, and who uploaded', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  await fixture.upload(account, { domain: hostname, urls: plainEntries(5) });
  await compareAll();
  await fixture.upload(account, { domain: hostname, urls: [{ loc: locOf(1) }, ...plainEntries(2)] });
  await compareAll();
  const here = await find(locOf(1), id);
  expect(here.places[0]).toMatchObject({
    added: { generation: 2, others: 0 },
    knownSince: undefined,
    visits: [],
  });
  const gone = await find(plainEntries(5)[4]!.loc, id);
  expect(gone.removed).toMatchObject({
    hostname,
    sitemapName: '',
    generation: 2,
    others: 2,
    formerGeneration: 1,
  });
  // Somewhere else it says nothing.
  const { id: other } = await addVerifiedDomain(database, account);
  expect((await find(plainEntries(5)[4]!.loc, other)).removed).toBeUndefined();
});

test('a URL that the lists say nothing about is known since the earliest generation that they reach', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const always = { loc: locOf(7) };
  for (const n of [1, 2, 3]) {
    await fixture.upload(account, { domain: hostname, urls: [always, { loc: locOf(n) }] });
    await compareAll();
  }
  // The first one is forgotten.
  await database.query(
    "UPDATE comparisons SET state = 'unknown' WHERE upload_id IN (SELECT id FROM uploads WHERE domain_id = $1 AND seq = 1)",
    [id],
  );
  const { places } = await find(always.loc, id);
  expect(places[0]).toMatchObject({ added: undefined, changed: undefined, knownSince: 1 });
});

test('long lists are read from their objects, and a missing or damaged one says nothing', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const keep = { loc: locOf(1) };
  await fixture.upload(account, { domain: hostname, urls: [keep] });
  await compareAll();
  const { uploadId } = await fixture.upload(account, {
    domain: hostname,
    urls: [keep, ...plainEntries(60_000)],
  });
  await compareAll();
  const { rows } = await database.query('SELECT parts FROM comparisons WHERE upload_id = $1', [uploadId]);
  expect(rows[0].parts).toBeGreaterThan(1);
  const last = plainEntries(60_000)[59_999]!.loc;
  expect((await find(last, id)).places[0]).toMatchObject({ added: { generation: 2, others: 59_999 } });
  const unknown = { added: undefined, knownSince: undefined };
  for (const bytes of ['', 'not gzip']) {
    await storage.put(changesKey(uploadId, 1), [Buffer.from(bytes)]);
    expect((await find(last, id)).places[0]).toMatchObject(unknown);
  }
  await storage.deleteMany([changesKey(uploadId, 1), changesKey(uploadId, 2)]);
  expect((await find(last, id)).places[0]).toMatchObject(unknown);
});

test('the last visits to the file of the URL come with it', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  await fixture.upload(account, { domain: hostname, sitemapName: 'a', urls: [{ loc: locOf(1) }] });
  await database.query(
    `INSERT INTO file_visits (domain_id, file, crawler, status, requests, last_at)
     VALUES ($1, 'sitemap-a.xml', 'Bingbot', 304, 1, '2026-01-01T00:00:00Z'),
            ($1, 'sitemap-a.xml', 'Googlebot', 200, 5, '2026-01-02T00:00:00Z'), ($1, 'robots.txt', 'Naver', 200, 1, now())`,
    [id],
  );
  const { places } = await find(locOf(1), id);
  expect(places[0]!.visits).toEqual([
    { crawler: 'Googlebot', status: 200, lastAt: new Date('2026-01-02T00:00:00Z') },
    { crawler: 'Bingbot', status: 304, lastAt: new Date('2026-01-01T00:00:00Z') },
  ]);
});

test('generations of a deleted sitemap say nothing of a new one with its name', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const upload = async (...numbers: number[]) => {
    await fixture.upload(account, { domain: hostname, urls: numbers.map((n) => ({ loc: locOf(n) })) });
    await compareAll();
  };
  await upload(1, 2);
  await upload(1);
  await upload(1, 2);
  await deleteSitemap(
    { openChange: fixture.options.openChange, keepReplacedMs: DAY_MS },
    { id, hostname },
    '',
  );
  await upload(3);
  expect((await find(locOf(2), id)).removed).toBeUndefined();
});

test('a removal is not told if a later generation may have removed the URL again', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const upload = async (...numbers: number[]) => {
    const urls = numbers.map((n) => ({ loc: locOf(n) }));
    const { uploadId } = await fixture.upload(account, { domain: hostname, urls });
    await compareAll();
    return uploadId;
  };
  await upload(1, 2, 3);
  await upload(1, 3);
  await upload(1, 2, 3);
  const last = await upload(1);
  const removedBy = async () => of((await find(locOf(2), id)).removed);
  expect(await removedBy()).toBe(4);
  const lose = (what: string) =>
    database.query(`UPDATE comparisons SET ${what} WHERE upload_id = $1`, [last]);
  await lose('list = NULL, parts = 1000');
  expect(await removedBy()).toBeUndefined();
  await lose("state = 'unknown', parts = 0, removed = 0");
  expect(await removedBy()).toBeUndefined();
});

test('a former generation that is collected is not offered', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  await fixture.upload(account, { domain: hostname, urls: plainEntries(3) });
  await compareAll();
  await fixture.upload(account, { domain: hostname, urls: plainEntries(2) });
  await compareAll();
  await database.query("UPDATE garbage SET collect_after = now() - interval '1 day'");
  await collectGarbage({ database, storage, log: collectLog(), keepReplacedMs: 0, replacedBytes: {} });
  expect((await find(plainEntries(3)[2]!.loc, id)).removed).toMatchObject({
    generation: 2,
    formerGeneration: null,
  });
});
