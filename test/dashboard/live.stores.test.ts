import { expect, test } from 'vitest';
import { liveRoutes } from '../../src/edges/dashboard/live-routes.ts';
import { renewUploadSlots, takeUploadSlot } from '../../src/features/accounts/upload-slot-store.ts';
import { recordDiagnosis } from '../../src/features/domains/check-store.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { deleteDomainRow, setSetting } from '../../src/features/domains/domain-store.ts';
import { readActivity } from '../../src/features/uploads/activity-store.ts';
import { Attempt } from '../../src/features/uploads/attempt.ts';
import { insertAttempt } from '../../src/features/uploads/attempt-store.ts';
import { deleteSitemap } from '../../src/features/uploads/delete-sitemap.ts';
import { openUploadViews } from '../../src/features/uploads/open-upload-views.ts';
import { createDatabasePool, inTransaction } from '../../src/platform/postgres/database.ts';
import { Secret } from '../../src/platform/secret.ts';
import { addAccount, addDomain, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';
import { startViews } from './start-routes.ts';

const fixture = await createUploadFixture();
const { database } = fixture;
const uploads = openUploadViews(fixture);
const { get } = await startViews((signedIn) => [liveRoutes({ uploads, forMs: 0, restFactor: 0 }, signedIn)]);
const live = async (accountId: string) => (await get(accountId, 'live')).json.data;

const SOURCE = { encoding: null, userAgent: 'a\0b', keyId: null, userId: 'user_a' };
let attempts = 0;
function attemptOf(domain: Domain | undefined, bytesTotal?: number) {
  const attempt = new Attempt(`upload_${++attempts}`, SOURCE, bytesTotal);
  attempt.domain = domain;
  return attempt;
}
async function run(accountId: string, attempt: Attempt, leaseMs = 60_000) {
  const slot = (await takeUploadSlot(
    database,
    { accountId, first: 1, count: 9, holder: attempt.id },
    leaseMs,
  ))!;
  await renewUploadSlots(database, [{ ...slot, progress: attempt.progress }], leaseMs);
}

test('uploads under way are there with their progress, those of the account alone', async () => {
  const [account, other] = [await addAccount(database), await addAccount(database)];
  const domain = await addVerifiedDomain(database, account);
  expect(await live(account)).toEqual({
    now: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    running: [],
    version: expect.any(String),
  });
  const [named, silent, unknown, ended, lost] = [
    attemptOf(domain, 1_000_000),
    attemptOf(domain),
    attemptOf(undefined),
    attemptOf(domain),
    attemptOf(domain),
  ];
  named.sitemapName = '';
  Object.assign(named.counts, { bytesReceived: 500_000, urlCount: 4000, fileCount: 2, rejected: 3 });
  for (const attempt of [named, silent, unknown, ended]) await run(account, attempt);
  await run(account, lost, -1);
  await insertAttempt(database, ended.end('refused', undefined)!);
  const { running } = await live(account);
  const { hostname, id: domainId } = domain;
  const both = { domainId, hostname, form: 'json', startedAt: expect.stringMatching(/Z$/) };
  expect(running).toHaveLength(2);
  expect(running).toContainEqual({
    ...{ id: named.id, ...both, sitemapName: 'default' },
    ...{ bytesReceived: 500_000, bytesTotal: 1_000_000, urlCount: 4000, fileCount: 2, rejected: 3 },
  });
  expect(running).toContainEqual({
    ...{ id: silent.id, ...both, sitemapName: null },
    ...{ bytesReceived: 0, bytesTotal: null, urlCount: 0, fileCount: 0, rejected: 0 },
  });
  expect((await live(other)).running).toEqual([]);
});

test('the version changes with every domain, sitemap and attempt, and with nothing else', async () => {
  const [account, other] = [await addAccount(database), await addAccount(database)];
  await addDomain(database, account);
  const version = async () => (await live(account)).version;
  const upload = (domain: Domain, by = account) =>
    fixture.upload(by, { domain: domain.hostname, urls: [{ loc: 'https://example.com/a' }] });
  let domain = await addVerifiedDomain(database, account);
  const { openChange } = fixture.options;
  const changes: Record<string, () => Promise<unknown>> = {
    'a new domain': async () => {
      domain = await addVerifiedDomain(database, account);
    },
    'a check of its records': () =>
      recordDiagnosis(database, domain.id, { found: [], problem: 'none' } as never),
    'its guard': () => setSetting(database, domain.id, 'maxRemovedPercent', null),
    'a state': () => database.query("UPDATE domains SET status = 'active' WHERE id = $1", [domain.id]),
    'a certificate': () =>
      database.query('INSERT INTO certificates (account_id, hostname, domain_id) VALUES ($1, $2, $3)', [
        account,
        domain.hostname,
        domain.id,
      ]),
    'an error of its certificate': () =>
      database.query("UPDATE certificates SET last_error = 'none' WHERE domain_id = $1", [domain.id]),
    'a first upload': () => upload(domain),
    'an upload that replaces it': () => upload(domain),
    'an upload that is refused': () => insertAttempt(database, attemptOf(domain).end('refused', undefined)!),
    'another one': () => insertAttempt(database, attemptOf(domain).end('refused', undefined)!),
    'a sitemap that is deleted': () => deleteSitemap({ openChange, keepReplacedMs: DAY_MS }, domain, ''),
    'a domain that is deleted': () =>
      inTransaction(database, async (transaction) => {
        await transaction.query('DELETE FROM uploads WHERE domain_id = $1', [domain.id]);
        await deleteDomainRow(transaction, domain.id);
      }),
  };
  let former = await version();
  for (const [change, make] of Object.entries(changes)) {
    await make();
    const now = await version();
    expect(now, change).not.toBe(former);
    expect(await version()).toBe(now);
    former = now;
  }
  const before = await version();
  await upload(await addVerifiedDomain(database, other), other);
  await run(account, attemptOf(domain));
  expect(await version()).toBe(before);
});

test('two hundred dashboards of an account cost few statements', async () => {
  const account = await addAccount(database);
  await addVerifiedDomain(database, account);
  let statements = 0;
  const query = (...given: unknown[]) => {
    statements++;
    return Reflect.apply(database.query, database, given);
  };
  const counting = { query } as typeof database;
  const shared = await startViews((signedIn) => [
    liveRoutes(
      { uploads: openUploadViews({ ...fixture, database: counting }), forMs: Number.POSITIVE_INFINITY },
      signedIn,
    ),
  ]);
  const answers = await Promise.all(Array.from({ length: 200 }, () => shared.get(account, 'live')));
  expect(new Set(answers.map(({ json }) => json.data.version)).size).toBe(1);
  expect(statements).toBe(1);
});

test('an answer may take longer than an ordinary statement, as for 100,000 domains', async () => {
  const account = await addAccount(database);
  const url = new Secret(database.options.connectionString!);
  const hasty = createDatabasePool(url, 2, collectLog(), 1000);
  try {
    const activity = await inTransaction(database, async (transaction) => {
      await transaction.query('LOCK TABLE domains IN ACCESS EXCLUSIVE MODE');
      const read = readActivity(hasty, account);
      read.catch(() => {});
      await expect(hasty.query('SELECT FROM domains')).rejects.toThrow('timeout');
      return { read };
    });
    expect((await activity.read).running).toEqual([]);
  } finally {
    await hasty.end();
  }
});
