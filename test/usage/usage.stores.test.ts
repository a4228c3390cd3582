/** Usage by account and day, compared with the sums of what was done, while jobs of two processes add up. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { readPlans } from '../../src/features/accounts/plans.ts';
import { createRateLimits } from '../../src/features/accounts/rate-limits.ts';
import { usageOf } from '../../src/features/accounts/usage-change-store.ts';
import { addCrawls } from '../../src/features/crawls/crawl-store.ts';
import { recordHosted } from '../../src/features/usage/hosted-store.ts';
import { openUsage } from '../../src/features/usage/open-usage.ts';
import { daysOfAccounts, type UsageOfAccount, type UsageOfDay } from '../../src/features/usage/read-usage.ts';
import { addUpUsage, deleteOldUsage } from '../../src/features/usage/usage-store.ts';
import { pagesOf } from '../../src/platform/pages-of.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { plainEntries } from '../uploads/batches.ts';
import { sessionsOf } from '../uploads/sessions/session-fixture.ts';
import { createUploadFixture } from '../uploads/upload-fixture.ts';

const fixture = await createUploadFixture({ seesUnchanged: true });
const { database, upload, delta, publishHeld } = fixture;
const usage = openUsage(database);
const DAY_MS = 24 * 3_600_000;
const today = new Date().toISOString().slice(0, 10);
const before = (days: number) => new Date(Date.parse(today) - days * DAY_MS).toISOString().slice(0, 10);

const NOTHING = { requests: 0, acceptedUrls: 0, receivedBytes: 0, servedRequests: 0, servedBytes: 0 };
let account: string;
beforeEach(async () => {
  account = await addAccount(database, 'free');
});

const totals = async () => (await usage.read(account, {}, new Date())).totals;
/** The sums are the same before and after they are added up. */
async function expectTotals(expected: Partial<typeof NOTHING>): Promise<void> {
  expect(await totals()).toEqual({ ...NOTHING, ...expected });
  await Promise.all([addUpUsage(database), addUpUsage(database)]);
  expect(await totals()).toEqual({ ...NOTHING, ...expected });
  const { rows } = await database.query(
    'SELECT FROM usage_changes UNION ALL SELECT FROM request_days WHERE requests > 0',
  );
  expect(rows).toEqual([]);
}

/** Adds to the usage of an account, as a publication does. */
const addUsage = (accountId: string, { urls, bytes }: { urls: number; bytes: number }) =>
  database.query(usageOf('SELECT $1 AS account_id, $2::bigint AS urls, $3::bigint AS bytes'), [
    accountId,
    urls,
    bytes,
  ]);

describe('requests', () => {
  const limits = createRateLimits(database, readPlans('{"free":{"requestsPerMinute":30}}'));

  test('count within the limit only, while they are added up', async () => {
    const states = await Promise.all(
      Array.from({ length: 80 }, async (_, n) => {
        if (n % 9 === 0) await addUpUsage(database);
        return limits.countRequest(account, 'free');
      }),
    );
    expect(states.filter(({ excess }) => excess === 0)).toHaveLength(30);
    await expectTotals({ requests: 30 });
  });

  test('of one account do not wait for those of another', async () => {
    const second = await addAccount(database, 'free');
    await Promise.all([
      limits.countRequest(account, 'free'),
      limits.countRequest(second, 'free'),
      limits.countChange(account, 'free'),
    ]);
    await expectTotals({ requests: 2 });
  });

  test('count once beside processes of former versions, which count and move them, too', async () => {
    const countOne = `INSERT INTO request_days AS d (account_id, day, requests)
      VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 1) ON CONFLICT (account_id, day) DO UPDATE SET requests = d.requests + 1`;
    const moveAll = `WITH moved AS (
        DELETE FROM request_days WHERE (account_id, day) IN (
          SELECT account_id, day FROM request_days ORDER BY account_id, day LIMIT 1000 FOR UPDATE SKIP LOCKED)
        RETURNING account_id, day, requests)
      INSERT INTO usage_changes (account_id, day, requests) SELECT account_id, day, requests FROM moved`;
    await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        if (n % 10 === 3) await addUpUsage(database);
        if (n % 10 === 6) await database.query(moveAll);
        await (n % 2 === 0 ? limits.countRequest(account, 'free') : database.query(countOne, [account]));
      }),
    );
    await expectTotals({ requests: 40 });
  });

  test('of a day that has ended are kept, and their row goes when they are moved', async () => {
    await limits.countRequest(account, 'free');
    await database.query('UPDATE request_days SET day = day - 1 WHERE account_id = $1', [account]);
    await limits.countRequest(account, 'free');
    await deleteOldUsage(database);
    await expectTotals({ requests: 2 });
    await deleteOldUsage(database);
    const { rows } = await database.query(
      "SELECT to_char(day, 'YYYY-MM-DD') AS day FROM request_days WHERE account_id = $1",
      [account],
    );
    expect(rows).toEqual([{ day: today }]);
  });

  test('of a deleted account are dropped', async () => {
    await limits.countRequest(account, 'free');
    await database.query('DELETE FROM accounts WHERE id = $1', [account]);
    await addUpUsage(database);
    await expectTotals({});
  });
});

describe('uploads', () => {
  test('count when they are published or change nothing, and not when they are refused or tried', async () => {
    const { hostname: domain } = await addVerifiedDomain(database, account);
    await upload(account, { domain, urls: plainEntries(30) });
    await upload(account, { domain, urls: plainEntries(30) });
    await upload(account, { domain, dryRun: true, urls: plainEntries(20) });
    await expect(upload(account, { domain, urls: [{ loc: 'no URL' }] })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    const upsert = ['a', 'b', 'c'].map((page) => ({ loc: `https://www.example.com/new/${page}` }));
    await delta(account, { domain, upsert });
    await expectTotals({ acceptedUrls: 30 + 30 + 3 });
  });

  test('that are held count their bytes then, and their URLs when they are published', async () => {
    const { id, hostname: domain } = await addVerifiedDomain(database, account);
    await database.query('UPDATE domains SET max_removed_percent = 10 WHERE id = $1', [id]);
    await upload(account, { domain, urls: plainEntries(1200) });
    const refusal = await upload(account, { domain, urls: plainEntries(600) }).catch((error) => error);
    await expectTotals({ acceptedUrls: 1200 });
    const { uploadId } = refusal.options.details;
    await publishHeld(account, uploadId, { force: true });
    await publishHeld(account, uploadId, { force: true });
    await expectTotals({ acceptedUrls: 1800 });
  });

  test('in parts count bytes with each part, and URLs at the commit', async () => {
    const domain = await addVerifiedDomain(database, account);
    const sessions = sessionsOf(fixture, account);
    const session = await sessions.open(domain.hostname);
    const line = '{"loc":"https://www.example.com/a"}\n';
    await sessions.part(session.id, 1, line.repeat(10));
    await sessions.part(session.id, 2, line);
    await sessions.part(session.id, 1, line.repeat(10));
    await expect(sessions.part(session.id, 2, 'no JSON')).rejects.toBeDefined();
    await expectTotals({ receivedBytes: 21 * line.length });
    await sessions.commit(session.id, { partCount: 2, urlCount: 11 });
    await expectTotals({ receivedBytes: 21 * line.length, acceptedUrls: 11 });
  });
});

test('what hosting served counts for the account of the hostname, on its day', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const count = { hostname, crawler: 'Googlebot', requests: 3 };
  const counts = [
    { ...count, status: 200, bytes: 4000, file: 'sitemap.xml', last: 1_768_471_200 },
    { ...count, status: 304 },
    { ...count, hostname: 'nobody.example.com', status: 200, bytes: 9 },
  ];
  await inTransaction(database, (transaction) => addCrawls(transaction, before(2), counts));
  await expectTotals({ servedRequests: 6, servedBytes: 4000 });
  const { days } = await usage.read(account, { from: before(3), to: before(1) }, new Date());
  expect(days.map(({ servedRequests }) => servedRequests)).toEqual([0, 6, 0]);
});

test('sums of any changes are those of a naive model', async () => {
  const amount = fc.record({ urls: fc.nat(1e9), bytes: fc.nat(1e12) });
  const steps = fc.array(fc.oneof(amount, fc.constant('add up' as const)), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      account = await addAccount(database);
      await Promise.all(
        taken.map((step) => (step === 'add up' ? addUpUsage(database) : addUsage(account, step))),
      );
      const used = taken.filter((step) => step !== 'add up');
      const sum = (name: 'urls' | 'bytes') => used.reduce((total, one) => total + one[name], 0);
      await expectTotals({ acceptedUrls: sum('urls'), receivedBytes: sum('bytes') });
    }),
    { numRuns: Math.ceil(PROPERTY_RUNS / 5) },
  );
});

describe('what is hosted', () => {
  const levels = (days: readonly UsageOfDay[]) => days.map((day) => [day.hostedUrls, day.hostedBytes]);

  test('is read now for today, and was written down for yesterday, once', async () => {
    await database.query("UPDATE usage_readings SET day = now()::date - 3, after = 'account_in the middle'");
    const { hostname: domain } = await addVerifiedDomain(database, account);
    const { gzipBytes } = await upload(account, { domain, urls: plainEntries(40) });
    await Promise.all([recordHosted(database), recordHosted(database)]);
    await recordHosted(database);
    const read = async () =>
      levels((await usage.read(account, { from: before(2), to: today }, new Date())).days);
    const level = [40, gzipBytes];
    expect(await read()).toEqual([[null, null], level, level]);
    const second = await upload(account, { domain, sitemapName: 'b', urls: plainEntries(2) });
    await recordHosted(database);
    expect(await read()).toEqual([[null, null], level, [42, gzipBytes + second.gzipBytes]]);
  });
});

test('400 days are kept', async () => {
  for (const days of [400, 401]) {
    await database.query('INSERT INTO usage_days (account_id, day, requests) VALUES ($1, $2, 1)', [
      account,
      before(days),
    ]);
  }
  await deleteOldUsage(database);
  const { rows } = await database.query('SELECT day FROM usage_days WHERE account_id = $1', [account]);
  expect(rows).toHaveLength(1);
});

test('a list has all accounts, the oldest first, each with what it is shown itself', async () => {
  const accounts = [account, await addAccount(database), await addAccount(database)];
  for (const [n, id] of accounts.entries()) {
    await addUsage(id, { urls: n + 1, bytes: 10 * n });
    // All of the same moment.
    await database.query("UPDATE accounts SET created_at = '2126-01-15', external_ref = $2 WHERE id = $1", [
      id,
      `t-${n}`,
    ]);
  }
  const { hostname: domain } = await addVerifiedDomain(database, account);
  await upload(account, { domain, urls: plainEntries(4) });
  const now = new Date();
  for (const span of [{}, { from: before(3), to: before(2) }]) {
    const listed: UsageOfAccount[] = [];
    const pages = pagesOf<UsageOfAccount>(
      (limit, last) => usage.ofAccounts(span, now, limit, last?.position),
      2,
    );
    for await (const page of pages) listed.push(...page);
    const own = await Promise.all(
      accounts.map(async (id, n) => ({ accountId: id, ref: `t-${n}`, ...(await usage.read(id, span, now)) })),
    );
    own.sort((one, other) => (one.accountId < other.accountId ? -1 : 1));
    expect(listed.slice(-3).map(({ position: _position, ...shown }) => shown)).toEqual(own);
    const days = [];
    for await (const page of daysOfAccounts(inOnePage(listed))) days.push(...page);
    expect(days.slice(-3 * own[0]!.days.length)).toEqual(
      own.flatMap(({ accountId, ref, days }) => days.map((day) => ({ accountId, ref, ...day }))),
    );
  }
  await expect(usage.ofAccounts({ from: 'x' }, now, 1)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

async function* inOnePage<Row>(rows: readonly Row[]) {
  yield rows;
}

test.each([
  [{ from: '2026-02-30' }, 'from'],
  [{ to: 'today' }, 'to'],
  [{ to: before(-1) }, 'to'],
  [{ from: before(400) }, 'from'],
  [{ from: before(1), to: before(2) }, 'from'],
])('a span that is not kept is refused: %o', async (span, field) => {
  await expect(usage.read(account, span, new Date())).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    options: { details: { field } },
  });
});

test('a span has each of its days, 400 at most', async () => {
  const { days } = await usage.read(account, { from: before(399) }, new Date());
  expect(days).toHaveLength(400);
  expect([days[0]!.day, days.at(-1)!.day]).toEqual([before(399), today]);
  expect((await usage.read(account, { to: before(390) }, new Date())).days).toHaveLength(10);
  expect((await usage.read(account, {}, new Date())).days).toHaveLength(30);
});
