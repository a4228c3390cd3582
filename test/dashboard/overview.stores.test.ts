import { expect, test } from 'vitest';
import { createCursors } from '../../src/core/web/cursors.ts';
import { overviewRoutes } from '../../src/edges/dashboard/overview-routes.ts';
import type { DomainRow } from '../../src/edges/dashboard/wire.ts';
import { readPlans } from '../../src/features/accounts/plans.ts';
import { openNeeds } from '../../src/features/needs/open-needs.ts';
import { Secret } from '../../src/platform/secret.ts';
import { addAccount, addDomain, addVerifiedDomain } from '../support/accounts.ts';
import { createUploadFixture } from '../uploads/upload-fixture.ts';
import { startViews } from './start-routes.ts';

const fixture = await createUploadFixture();
const { database } = fixture;
const plans = readPlans();
const cursors = createCursors(new Secret('for tests'));
const { get } = await startViews((signedIn) => [
  overviewRoutes({ needs: openNeeds({ database, plans }), cursors, plans }, signedIn),
]);
const rowsOf = async (account: string, query = ''): Promise<DomainRow[]> =>
  (await get(account, `overview/domains${query}`)).json.data;
const set = (id: string, columns: string) =>
  database.query(`UPDATE domains SET ${columns} WHERE id = $1`, [id]);
const urls = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ loc: `https://example.com/${n}` }));

test('a first certificate that must wait is told in the list, without a need', async () => {
  const account = await addAccount(database);
  const { id } = await addVerifiedDomain(database, account);
  const isFailing = async () => (await rowsOf(account)).map((row) => [row.isCertificateFailing, row.need]);
  expect(await isFailing()).toEqual([[false, null]]);
  await database.query(
    `INSERT INTO certificates (account_id, hostname, domain_id)
     SELECT account_id, hostname, id FROM domains WHERE id = $1
     ON CONFLICT (account_id, hostname) DO UPDATE SET domain_id = excluded.domain_id`,
    [id],
  );
  expect(await isFailing()).toEqual([[false, null]]);
  await database.query(`UPDATE certificates SET last_error = 'The authority is away.' WHERE domain_id = $1`, [
    id,
  ]);
  expect(await isFailing()).toEqual([[true, null]]);
});

test('the overview counts what the account has', async () => {
  const [account, other] = [await addAccount(database), await addAccount(database)];
  const empty = { urlCount: 0, fileCount: 0, domainCount: 0, needsYouCount: 0, liveCount: 0 };
  const plan = { name: 'business', domains: 50 };
  const none = { lastUpload: null, lastCrawl: null, urlsAWeekAgo: null, plan };
  expect((await get(other, 'overview')).json.data).toEqual({ ...empty, ...none });
  const [first, second] = [
    await addVerifiedDomain(database, account),
    await addVerifiedDomain(database, account),
  ];
  const third = await addDomain(database, account);
  await set(first.id, "status = 'active', ssl_status = 'active'");
  await set(third.id, "status = 'failed', moved_at = now()");
  const upload = (hostname: string, by: string, more = {}) =>
    fixture.upload(by, { domain: hostname, urls: urls(1001), sizeLimit: 'gsc-optimized', ...more });
  await upload(first.hostname, account);
  await upload(second.hostname, account, { sitemapName: 'news' });
  await upload(second.hostname, account, { sitemapName: 'news' });
  await upload((await addVerifiedDomain(database, other)).hostname, other);
  const crawl = (id: string, day: string, crawler: string, requests: number) =>
    database.query(
      'INSERT INTO crawls (domain_id, day, crawler, status, requests) VALUES ($1, $2, $3, 200, $4)',
      [...[id, day, crawler, requests]],
    );
  await crawl(first.id, '2026-01-13', 'googlebot', 9);
  await crawl(second.id, '2026-01-14', 'bingbot', 2);
  await crawl(second.id, '2026-01-14', 'googlebot', 3);
  await database.query(
    `INSERT INTO usage_days (account_id, day, hosted_urls)
     SELECT $1, (now() AT TIME ZONE 'UTC')::date - n, 1000 + n FROM generate_series(6, 8) AS n`,
    [account],
  );
  const counts = {
    urlsAWeekAgo: 1007,
    urlCount: 2002,
    fileCount: 4,
    domainCount: 3,
    needsYouCount: 1,
    liveCount: 1,
  };
  const { lastUpload, ...facts } = (await get(account, 'overview')).json.data;
  const ofDay = { day: '2026-01-14', crawler: 'googlebot', at: null, file: null };
  expect(facts).toEqual({ ...counts, lastCrawl: ofDay, plan });
  expect(lastUpload).toEqual({
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    hostname: second.hostname,
    sitemapName: 'news',
    by: 'Test',
  });
  const rows = await rowsOf(account);
  expect(
    rows.map(({ urlCount, lastUpdated, lastCrawlDay }) => [urlCount, lastUpdated, lastCrawlDay]),
  ).toEqual([
    [0, null, null],
    [1001, '2026-01-15T10:00:00Z', '2026-01-14'],
    [1001, '2026-01-15T10:00:00Z', '2026-01-13'],
  ]);
});

test('the last visit of a crawler has its time and file, unless there are many files', async () => {
  const account = await addAccount(database);
  const { id } = await addVerifiedDomain(database, account);
  await database.query(
    `INSERT INTO file_visits (domain_id, file, crawler, status, requests, last_at)
     VALUES ($1, 'sitemap.xml', 'Bingbot', 200, 1, '2026-01-14T09:00:00Z'), ($1, 'sitemap-a.xml', 'Googlebot', 304, 2, '2026-01-14T10:00:00Z')`,
    [id],
  );
  await database.query(
    `INSERT INTO crawls (domain_id, day, crawler, status, requests) VALUES ($1, '2026-01-14', 'Bingbot', 200, 1)`,
    [id],
  );
  const last = { day: '2026-01-14', at: '2026-01-14T10:00:00Z', crawler: 'Googlebot', file: 'sitemap-a.xml' };
  expect((await get(account, 'overview')).json.data.lastCrawl).toEqual(last);
  expect(await rowsOf(account)).toMatchObject([{ lastCrawlAt: last.at, lastCrawlDay: last.day }]);
  await set(id, 'file_count = 2001, counted_generation = generation');
  expect(await rowsOf(account)).toMatchObject([{ lastCrawlAt: null, lastCrawlDay: last.day }]);
  await expect
    .poll(async () => (await get(account, 'overview')).json.data.lastCrawl)
    .toEqual({ day: '2026-01-14', crawler: 'Bingbot', at: null, file: null });
});

/** Six domains, registered from `a` to `f`. Two need somebody: `c` with a deadline, and `a`. */
async function addSix() {
  const account = await addAccount(database);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const active = "status = 'active', ssl_status = 'active'";
  const columns: Record<string, string> = {
    a: `${active}, wrong_checks = 1, wrong_since = now()`,
    b: `${active}, url_count = 7, counted_generation = generation`,
    c: `status = 'pending_verification', dns_problem = 'x', created_at = now() - interval '20 days'`,
    e: active,
    f: `status = 'verified', ssl_status = 'provisioning', url_count = 70, counted_generation = generation`,
  };
  for (const name of names) {
    const { id } = await addDomain(
      database,
      account,
      `${name}-one.${account.slice(-8).toLowerCase()}.example.com`,
    );
    if (columns[name]) await set(id, columns[name]);
  }
  return async (query: string) => (await rowsOf(account, query)).map(({ hostname }) => hostname[0]).join('');
}

test('rows are filtered by state, and come in the order that was asked for', async () => {
  const namesOf = await addSix();
  expect(await namesOf('')).toBe('cafedb');
  expect(await namesOf('?filter=needsYou')).toBe('ca');
  expect(await namesOf('?filter=live')).toBe('eb');
  expect(await namesOf('?order=name')).toBe('abcdef');
  expect(await namesOf('?order=newest')).toBe('fedcba');
  expect(await namesOf('?order=urls')).toBe('fbedca');
  expect(await namesOf('?filter=live&order=name&search=b-one')).toBe('b');
});

test.each(['urgency', 'name', 'urls', 'newest'])('pages in the order %s have no gaps', async (order) => {
  const account = await addAccount(database);
  await database.query(
    `INSERT INTO domains (id, account_id, hostname, status, ssl_status, cname_target, url_count, wrong_checks)
     SELECT $1 || n, $1, 'h' || n || '.' || lower($1) || '.example', 'active', 'active', 'target', n % 3, n % 2 FROM generate_series(1, 25) AS n`,
    [account],
  );
  const whole = await rowsOf(account, `?order=${order}&limit=100`);
  expect(whole).toHaveLength(25);
  const paged: DomainRow[] = [];
  for (let cursor = ''; ; ) {
    const { data, pagination } = (await get(account, `overview/domains?order=${order}&limit=4${cursor}`))
      .json;
    paged.push(...data);
    if (!pagination.hasMore) break;
    cursor = `&cursor=${pagination.cursor}`;
  }
  expect(paged).toEqual(whole);
});

test('a row has its most urgent need, in words', async () => {
  const account = await addAccount(database);
  const { id, hostname } = await addVerifiedDomain(database, account);
  await set(id, 'wrong_checks = 1, wrong_since = now()');
  await database.query(
    `INSERT INTO page_hosts (domain_id, account_id, origin, state, state_since)
     VALUES ($1, $2, 'https://www.example.com', 'missing', now() - interval '1 day')`,
    [id, account],
  );
  const [row] = await rowsOf(account);
  expect(row!.need).toMatchObject({
    kind: 'dns',
    domain: { id, hostname },
    title: `${hostname} doesn't point to Waypost yet`,
    severity: 'bad',
    target: 'dns',
  });
  expect(row!.need!.since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

test('pages have a hundred rows each at most', async () => {
  const account = await addAccount(database);
  await database.query(
    `INSERT INTO domains (id, account_id, hostname, status, ssl_status, cname_target)
     SELECT 'many_' || n, $1, 'm' || n || '.example.org', CASE WHEN n % 2 = 0 THEN 'active' ELSE 'failed' END,
            'pending', 'target' FROM generate_series(1, 250) AS n ORDER BY n`,
    [account],
  );
  const seen: DomainRow[] = [];
  for (let cursor = ''; ; ) {
    const { data, pagination } = (await get(account, `overview/domains?limit=100&search=.ORG${cursor}`)).json;
    expect(data.length).toBe(pagination.hasMore ? 100 : 50);
    seen.push(...data);
    if (!pagination.hasMore) break;
    cursor = `&cursor=${pagination.cursor}`;
  }
  const numbers = seen.map(({ id }) => Number(id.replace('many_', '')));
  const newest = Array.from({ length: 250 }, (_, n) => 250 - n);
  expect(numbers).toEqual(newest);
  const { cursor } = (await get(account, 'overview/domains?search=.org')).json.pagination;
  expect((await get(account, `overview/domains?cursor=${cursor}`)).status).toBe(400);
  const other = await addAccount(database);
  expect((await get(other, `overview/domains?search=.org&cursor=${cursor}`)).status).toBe(400);
  expect(await rowsOf(other, '?search=.org')).toEqual([]);
});

test.each([
  ['MAPS.müller', ['maps.xn--mller-kva.example']],
  ['müller.example', ['maps.xn--mller-kva.example']],
  [' maps ', ['maps.xn--mller-kva.example', 'maps.plain.example']],
  ['%', []],
  ['_', []],
  ['\\', []],
  ["' OR true --", []],
  ['\ud800', []],
  ['x'.repeat(2048), []],
])('the search for %j', async (search, hostnames) => {
  const account = await addAccount(database);
  await addDomain(database, account, 'maps.plain.example');
  await addDomain(database, account, 'maps.xn--mller-kva.example');
  const rows = await rowsOf(account, `?${new URLSearchParams({ search })}`);
  expect(rows.map(({ hostname }) => hostname)).toEqual(hostnames);
});

test.each([
  'search=%00',
  `search=${'x'.repeat(2049)}`,
  'search=a&search=b',
  'filter=some',
  'order=size',
  'filter=all&filter=live',
  'other=1',
])('a query that makes no sense is refused: %s', async (query) => {
  const account = await addAccount(database);
  expect((await get(account, `overview/domains?${query}`)).json.error.code).toBe('VALIDATION_ERROR');
});
