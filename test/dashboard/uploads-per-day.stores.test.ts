import { expect, test } from 'vitest';
import type { UploadDay } from '../../src/edges/dashboard/wire.ts';
import { deleteDomainRow } from '../../src/features/domains/domain-store.ts';
import { deleteOldAttempts } from '../../src/features/uploads/attempt-store.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startCharts } from './start-charts.ts';

const { database } = await createTestDatabase();
const { get } = await startCharts(database);
const chartOf = async (account: string, query = ''): Promise<UploadDay[]> =>
  (await get(account, `uploads-per-day${query}`)).json.data;
const NONE = { published: 0, unchanged: 0, refused: 0, publishedUrls: 0, refusedUrls: 0 };

let ids = 0;
/** Attempts with 10 URLs each. `day`: how many days ago, at a minute of that day in UTC. */
async function addAttempts(domainId: string, outcome: string, day: number, count = 1, minute = 0) {
  await database.query(
    `INSERT INTO attempts (id, domain_id, outcome, started_at, ended_at, form, bytes_received, url_count, file_count, rejected)
     SELECT 'attempt_' || $1 || '_' || n, $2, $3, now(), 
            (date_trunc('day', now() AT TIME ZONE 'UTC') - $4 * interval '1 day' + $5 * interval '1 minute') AT TIME ZONE 'UTC',
            'json', 0, 10, 0, 0 FROM generate_series(1, $6) AS n`,
    [String(++ids), domainId, outcome, day, minute, count],
  );
}

test('every day of the span is there, in UTC, with what was published and what was not', async () => {
  const [account, other] = [await addAccount(database), await addAccount(database)];
  const [first, second, others] = [
    await addVerifiedDomain(database, account),
    await addVerifiedDomain(database, account),
    await addVerifiedDomain(database, other),
  ];
  await addAttempts(first.id, 'published', 0, 2);
  await addAttempts(second.id, 'published', 0);
  for (const outcome of ['refused', 'held', 'failed', 'abandoned', 'dry_run']) {
    await addAttempts(first.id, outcome, 1, 1, 1439);
  }
  await addAttempts(first.id, 'published', 6);
  await addAttempts(second.id, 'unchanged', 6, 2);
  await addAttempts(first.id, 'published', 7, 1, 1439);
  await addAttempts(others.id, 'published', 0, 7);
  const week = await chartOf(account, '?days=7');
  const days = (
    await database.query<{ day: string }>(
      `SELECT to_char((now() AT TIME ZONE 'UTC')::date - n, 'YYYY-MM-DD') AS day FROM generate_series(6, 0, -1) AS n`,
    )
  ).rows.map(({ day }) => day);
  expect(week).toEqual([
    { day: days[0], ...NONE, published: 1, unchanged: 2, publishedUrls: 10 },
    ...days.slice(1, 5).map((day) => ({ day, ...NONE })),
    { day: days[5], ...NONE, refused: 3, refusedUrls: 30 },
    { day: days[6], ...NONE, published: 3, publishedUrls: 30 },
  ]);
  expect(await chartOf(account, `?days=1&domain=${second.id}`)).toEqual([
    { day: days[6], ...NONE, published: 1, publishedUrls: 10 },
  ]);
  expect(await chartOf(account)).toHaveLength(30);
  expect(await chartOf(account, '?days=90')).toHaveLength(90);
  expect((await get(account, `uploads-per-day?domain=${others.id}`)).status).toBe(403);
  expect((await get(account, 'uploads-per-day?domain=domain_none')).status).toBe(404);
});

/** Only domains with a recent attempt may have too many. */
async function addRecent(domainId: string): Promise<void> {
  await addAttempts(domainId, 'dry_run', 0, 1);
  await database.query(
    "UPDATE attempts SET ended_at = now() WHERE domain_id = $1 AND outcome = 'dry_run' AND ended_at > now() - interval '1 day'",
    [domainId],
  );
}

test('a domain with 5,000 uploads a day counts them all, though few are kept', async () => {
  const account = await addAccount(database);
  const domain = await addVerifiedDomain(database, account);
  for (const day of [2, 1, 0]) {
    await addAttempts(domain.id, 'published', day, 4000);
    await addAttempts(domain.id, 'refused', day, 1000);
    await addAttempts(domain.id, 'dry_run', day, 10);
    await addRecent(domain.id);
    // Any number of processes at once, and again and again.
    await Promise.all([deleteOldAttempts(database), deleteOldAttempts(database)]);
    await deleteOldAttempts(database);
  }
  const { rows } = await database.query(
    'SELECT count(*)::integer AS kept FROM attempts WHERE domain_id = $1',
    [domain.id],
  );
  expect(rows[0].kept).toBe(1000);
  const counts = { published: 4000, unchanged: 0, refused: 1000, publishedUrls: 40_000, refusedUrls: 10_000 };
  const [before, ...busy] = await chartOf(account, '?days=4');
  expect(before).toMatchObject(NONE);
  expect(busy.map(({ day: _, ...sums }) => sums)).toEqual([counts, counts, counts]);
  expect(await chartOf(account, `?days=4&domain=${domain.id}`)).toEqual([before, ...busy]);
});

test('days are forgotten after 90 days, and nobody sees those of a deleted domain', async () => {
  const account = await addAccount(database);
  const domain = await addVerifiedDomain(database, account);
  await addAttempts(domain.id, 'published', 1, 1499);
  await addRecent(domain.id);
  await deleteOldAttempts(database);
  const daysOf = async () =>
    (await database.query('SELECT published::integer FROM upload_days WHERE domain_id = $1', [domain.id]))
      .rows;
  expect(await daysOf()).toEqual([{ published: 500 }]);
  await inTransaction(database, (transaction) => deleteDomainRow(transaction, domain.id));
  expect((await chartOf(account, '?days=2')).map(({ published }) => published)).toEqual([0, 0]);
  await database.query('UPDATE upload_days SET day = day - 90');
  await deleteOldAttempts(database);
  expect(await daysOf()).toEqual([]);
});

test.each(['days=0', 'days=91', 'days=1.5', 'days=-1', 'days=', 'days=7&days=7', 'days=%00', 'other=1'])(
  'a query that makes no sense is refused: %s',
  async (query) => {
    const account = await addAccount(database);
    expect((await get(account, `uploads-per-day?${query}`)).json.error.code).toBe('VALIDATION_ERROR');
  },
);

test.each(["domain=' OR true --", 'domain=a&domain=b', 'domain=%00'])(
  'a domain that is none is not found: %s',
  async (query) => {
    const account = await addAccount(database);
    expect((await get(account, `uploads-per-day?${query.replaceAll(' ', '+')}`)).status).toBe(404);
  },
);
