/** The number of requests to the store for small uploads, from upload to collection. A store asks money for each. */
import { afterAll, expect, test, vi } from 'vitest';
import { compareSitemap } from '../../src/features/changes/compare-sitemap.ts';
import { ComparisonThread } from '../../src/features/changes/comparison-thread.ts';
import { takeDueComparison } from '../../src/features/changes/due-comparison-store.ts';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import { SMALL_LANE } from '../../src/features/sites/due-comparison.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { plainEntries } from './batches.ts';
import { createUploadFixture } from './upload-fixture.ts';

const fixture = await createUploadFixture();
const { database, storage } = fixture;
const thread = new ComparisonThread();
afterAll(() => thread[Symbol.asyncDispose]());

const METHODS = ['get', 'head', 'put', 'putNew', 'putIfUnchanged', 'list', 'deleteMany'] as const;
const spies = METHODS.map((method) => vi.spyOn(storage, method as 'get'));
const NONE = Object.fromEntries(METHODS.map((method) => [method, 0]));
const requests = () =>
  Object.fromEntries(METHODS.map((method, at) => [method, spies[at]!.mock.calls.length]));

async function compare(): Promise<void> {
  await database.query('UPDATE sitemaps SET compare_at = now() WHERE compare_at IS NOT NULL');
  const due = await takeDueComparison(database, { lane: SMALL_LANE, after: '' });
  const listening = { openSink: async () => undefined, onCounted: async () => {} };
  await compareSitemap({ database, storage, ...listening }, thread, due!, AbortSignal.any([]));
}

test('an upload reads site.json and replaces it, and nothing else until it is collected', async () => {
  const account = await addAccount(database, 'enterprise');
  const { hostname } = await addVerifiedDomain(database, account);
  const upload = (urls: number) =>
    fixture.upload(account, { domain: hostname, force: true, urls: plainEntries(urls) });
  await upload(100);
  await compare();
  for (const spy of spies) spy.mockClear();
  for (const urls of [101, 102, 103, 104]) {
    await upload(urls);
    await compare();
  }
  expect(requests()).toEqual({ ...NONE, get: 4, putIfUnchanged: 4 });
  for (const spy of spies) spy.mockClear();
  await database.query(`UPDATE garbage SET collect_after = now()`);
  await collectGarbage({ database, storage, log: collectLog(), keepReplacedMs: 0, replacedBytes: {} });
  expect(await fixture.garbage()).toEqual([]);
  expect(requests()).toEqual(NONE);
});
