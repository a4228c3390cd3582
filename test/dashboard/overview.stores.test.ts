import { expect, test } from 'vitest';
import { createCursors } from '../../src/core/web/cursors.ts';
import { overviewRoutes } from '../../src/edges/dashboard/overview-routes.ts';
import type { DomainRow } from '../../src/edges/dashboard/wire.ts';
import { readPlans } from '../../src/features/accounts/plans.ts';
import { listForOverview, readOverview } from '../../src/features/domains/overview-store.ts';
import { Secret } from '../../src/platform/secret.ts';
import { verbsOn } from '../../src/platform/verb.ts';
import { addAccount, addDomain, addVerifiedDomain } from '../support/accounts.ts';
import { createUploadFixture } from '../uploads/upload-fixture.ts';
import { startViews } from './start-routes.ts';

const fixture = await createUploadFixture();
const { database } = fixture;
const domains = verbsOn(database, { readOverview, listForOverview });
const cursors = createCursors(new Secret('for tests'));
const { get } = await startViews((signedIn) => [
  overviewRoutes({ domains, cursors, plans: readPlans() }, signedIn),
]);
const rowsOf = async (account: string, query = ''): Promise<DomainRow[]> =>
  (await get(account, `overview/domains${query}`)).json.data;
const set = (id: string, columns: string) =>
  database.query(`UPDATE domains SET ${columns} WHERE id = $1`, [id]);
const urls = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ loc: `https://example.com/${n}` }));

test('the overview counts what the account has', async () => {
  const [account, other] = [await addAccount(database), await addAccount(database)];
  const empty = { urlCount: 0, fileCount: 0, domainCount: 0, domainsToFinish: 0 };
  const plan = { name: 'business', domains: 50 };
  expect((await get(account, 'overview')).json.data).toEqual({ ...empty, plan });
  const [first, second] = [
    await addVerifiedDomain(database, account),
    await addVerifiedDomain(database, account),
  ];
  await addDomain(database, account);
  await set(first.id, "status = 'active', ssl_status = 'active'");
  const upload = (hostname: string, by: string, more = {}) =>
    fixture.upload(by, { domain: hostname, urls: urls(1001), sizeLimit: 'gsc-optimized', ...more });
  await upload(first.hostname, account);
  await upload(second.hostname, account, { sitemapName: 'news' });
  await upload(second.hostname, account, { sitemapName: 'news' });
  await upload((await addVerifiedDomain(database, other)).hostname, other);
  const counts = { urlCount: 2002, fileCount: 4, domainCount: 3, domainsToFinish: 2 };
  expect((await get(account, 'overview')).json.data).toEqual({ ...counts, plan });
  const rows = await rowsOf(account);
  expect(rows.map(({ urlCount, fileCount, lastUpdated }) => [urlCount, fileCount, lastUpdated])).toEqual([
    [0, 0, null],
    [1001, 2, '2026-01-15T10:00:00Z'],
    [1001, 2, '2026-01-15T10:00:00Z'],
  ]);
});

test('a row says what is wanted, with the cure, and nothing while all is well or under way', async () => {
  const account = await addAccount(database);
  const add = async (hostname: string, columns?: string, certificate?: string) => {
    const { id } = await addDomain(database, account, hostname);
    if (columns) await set(id, columns);
    if (certificate) {
      await database.query(
        `INSERT INTO certificates (account_id, hostname, domain_id, failures, last_error) VALUES ($1, $2, $3, ${certificate})`,
        [account, hostname, id],
      );
    }
  };
  const served = "status = 'verified', ssl_status = 'provisioning'";
  const wrong = "checked_at = now(), dns_problem = 'The record is wrong.'";
  await add('new.example.com');
  await add('new.localhost');
  await add('wrong.example.com', wrong);
  await add('others.example.com', 'checked_at = now()');
  await add(
    'failed.example.com',
    `status = 'failed', ssl_status = 'failed', failure = 'It failed.', ${wrong}`,
  );
  await add('moved.example.com', `${served}, wrong_checks = 1, ${wrong}`, "1, 'No certificate.'");
  await add('unasked.example.com', `${served}, ${wrong}`);
  await add('waiting.example.com', served, "0, 'No authority answers.'");
  await add('refused.example.com', served, "2, 'CAA forbids it.'");
  await add('active.example.com', "status = 'active', ssl_status = 'active'", '0, NULL');
  const rows = await rowsOf(account);
  const target = (await database.query("SELECT cname_target FROM domains WHERE hostname = 'new.example.com'"))
    .rows[0].cname_target;
  expect(rows.map(({ hostname, wanted }) => [hostname.replace('.example.com', ''), wanted])).toEqual([
    ['refused', 'CAA forbids it.'],
    ['moved', 'The record is wrong.'],
    ['failed', 'It failed.'],
    ['others', 'The DNS records are right. Verify the domain again.'],
    ['wrong', 'The record is wrong.'],
    ['new.localhost', 'Verify the domain. A name below localhost needs no DNS record.'],
    ['new', `Point a CNAME record for new.example.com at ${target}.`],
    ['active', null],
    ['waiting', null],
    ['unasked', null],
  ]);
});

test('pages have a hundred rows each, in order, without gaps', async () => {
  const account = await addAccount(database);
  await database.query(
    `INSERT INTO domains (id, account_id, hostname, status, ssl_status, cname_target)
     SELECT 'many_' || n, $1, 'm' || n || '.example.org', CASE WHEN n % 2 = 0 THEN 'active' ELSE 'pending_verification' END,
            'pending', 'target' FROM generate_series(1, 250) AS n ORDER BY n`,
    [account],
  );
  const seen: DomainRow[] = [];
  for (let cursor = ''; ; ) {
    const { data, pagination } = (await get(account, `overview/domains?search=.ORG${cursor}`)).json;
    expect(data.length).toBe(pagination.hasMore ? 100 : 50);
    seen.push(...data);
    if (!pagination.hasMore) break;
    cursor = `&cursor=${pagination.cursor}`;
  }
  const numbers = seen.map(({ id }) => Number(id.replace('many_', '')));
  const newest = Array.from({ length: 250 }, (_, n) => 250 - n);
  expect(numbers).toEqual([...newest.filter((n) => n % 2 === 1), ...newest.filter((n) => n % 2 === 0)]);
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

test.each(['search=%00', `search=${'x'.repeat(2049)}`, 'search=a&search=b', 'limit=5', 'other=1'])(
  'a query that makes no sense is refused: %s',
  async (query) => {
    const account = await addAccount(database);
    expect((await get(account, `overview/domains?${query}`)).json.error.code).toBe('VALIDATION_ERROR');
  },
);
