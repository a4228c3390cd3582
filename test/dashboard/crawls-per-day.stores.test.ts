import { expect, test } from 'vitest';
import type { CrawlDay } from '../../src/edges/dashboard/wire.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startCharts } from './start-charts.ts';

const { database } = await createTestDatabase();
const accountId = await addAccount(database);
const first = await addVerifiedDomain(database, accountId);
const second = await addVerifiedDomain(database, accountId);
const strange = await addVerifiedDomain(database, await addAccount(database));
await database.query(
  `INSERT INTO crawls (domain_id, day, crawler, status, requests)
   SELECT domain, (now() AT TIME ZONE 'UTC')::date - ago, crawler, status, requests
     FROM (VALUES ($1, 0, 'Googlebot', 200, 5), ($1, 0, 'Googlebot', 404, 2), ($1, 0, 'Bingbot', 304, 7),
                  ($2, 0, 'Googlebot', 503, 100), ($1, 29, 'Tools', 200, 1), ($1, 30, 'Tools', 200, 1000),
                  ($1, 399, 'Tools', 406, 4), ($3, 0, 'Googlebot', 200, 10000))
          AS counts (domain, ago, crawler, status, requests)`,
  [first.id, second.id, strange.id],
);

const views = await startCharts(database);

async function get(query: string) {
  const { status, json } = await views.get(accountId, `crawls-per-day${query}`);
  return { status, days: json.data as CrawlDay[], code: json.error?.code };
}

test('every day of the span has its requests by kind of crawler, and the errors among them', async () => {
  const { status, days } = await get('');
  expect(status).toBe(200);
  expect(days).toHaveLength(30);
  expect(days.map(({ day }) => day)).toEqual(days.map(({ day }) => day).toSorted());
  expect(new Date(days.at(-1)!.day).getTime() - new Date(days[0]!.day).getTime()).toBe(29 * 24 * 3_600_000);
  expect(days.at(-1)).toMatchObject({ requests: { Googlebot: 107, Bingbot: 7 }, errors: 102 });
  expect(days[0]).toMatchObject({ requests: { Tools: 1 }, errors: 0 });
  for (const day of days.slice(1, -1)) expect(day).toMatchObject({ requests: {}, errors: 0 });
});

test('the span and the domain can be chosen', async () => {
  const { days } = await get(`?days=1&domain=${first.id}`);
  expect(days).toMatchObject([{ requests: { Googlebot: 7, Bingbot: 7 }, errors: 2 }]);
  const long = await get('?days=400');
  expect(long.days).toHaveLength(400);
  expect(long.days[0]).toMatchObject({ requests: { Tools: 4 }, errors: 4 });
});

test.each([
  'days=0',
  'days=401',
  'days=-1',
  'days=1.5',
  'days=1e2',
  'days=',
  'days=x',
  'days=1&days=2',
  'day=1',
])('%s is refused', async (query) => {
  expect(await get(`?${query}`)).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
});

test('a domain of another account, or none, is refused', async () => {
  expect(await get(`?domain=${strange.id}`)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  expect(await get('?domain=domain_none')).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  expect(await get('?domain=%00')).toMatchObject({ status: 404 });
  expect(await get('?domain=')).toMatchObject({ status: 404 });
  expect(await get('?domain=a&domain=b')).toMatchObject({ status: 404 });
});
