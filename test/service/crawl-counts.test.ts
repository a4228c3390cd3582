/**
 * Answers to crawlers are counted once, over several hosting processes. A process that is killed loses what
 * it counted since its last write, and nothing else (docs/decisions/0036).
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import pg from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { type Hosting, startHosting } from './support/hosting.ts';
import { send } from './support/send.ts';
import { storedObjects } from './support/store.ts';
import { useOwnWaypost } from './support/use-waypost.ts';

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const BINGBOT = 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)';
const NEVER_MS = '3600000';
/** Ends of processes wait for no idle connection. */
const AT_ONCE = { IDLE_GRACE_MS: '0' };

/** Has the database, the jobs and the store, which no other file writes to. Nobody crawls its own hosting server. */
const lender = await useOwnWaypost();
const customer = await createCustomer(lender);
const connectionString = await readFile(join(lender.dataDir, 'postgres', 'url'), 'utf8');
const database = new pg.Pool({ connectionString, max: 1 });
afterAll(() => database.end());

async function publishedSite(): Promise<{ id: string; hostname: string }> {
  const { id, hostname } = await customer.verifiedDomain();
  await customer.publish({ domain: hostname, urls: entries(10) });
  return { id, hostname };
}

/** Crawls so often for a 200, and half as often for a 404. */
async function crawl(hosting: Hosting, hostname: string, userAgent: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const missing = n % 2 === 0 ? ['/sitemap-none.xml'] : [];
    for (const path of ['/sitemap.xml', ...missing]) {
      const { status } = await fetchFile(hosting, hostname, path, { headers: { 'User-Agent': userAgent } });
      expect(status).toBe(path === '/sitemap.xml' ? 200 : 404);
    }
  }
}

/** Returns the requests by crawler and status after a run of the job, as in Googlebot 200. */
async function imported(domainId: string): Promise<Record<string, number>> {
  await database.query("SELECT graphile_worker.add_job('crawls.import', job_key => 'crawls of a test')");
  const { rows } = await database.query<{ name: string; requests: number }>(
    `SELECT crawler || ' ' || status AS name, sum(requests)::integer AS requests FROM crawls
      WHERE domain_id = $1 GROUP BY 1`,
    [domainId],
  );
  return Object.fromEntries(rows.map(({ name, requests }) => [name, requests]));
}

test('of two processes, one of which is killed, only its last interval is lost', async () => {
  const { id, hostname } = await publishedSite();
  const settings = { ...AT_ONCE, CRAWL_COUNTS_MS: '250' };
  await using killed = await startHosting(lender, settings);
  await using other = await startHosting(lender, settings);
  await Promise.all([crawl(killed, hostname, GOOGLEBOT, 20), crawl(other, hostname, BINGBOT, 30)]);
  const written = { 'Googlebot 200': 20, 'Googlebot 404': 10, 'Bingbot 200': 30, 'Bingbot 404': 15 };
  await vi.waitFor(async () => expect(await imported(id)).toEqual(written), SOON);

  await Promise.all([crawl(killed, hostname, GOOGLEBOT, 8), crawl(other, hostname, BINGBOT, 10)]);
  killed.process.kill('SIGKILL');
  await killed.process.exited;
  await crawl(other, hostname, BINGBOT, 10);
  await other.process.stop();
  const exact = { 'Bingbot 200': 50, 'Bingbot 404': 25 };
  await vi.waitFor(async () => expect(await imported(id)).toMatchObject(exact), SOON);
  await vi.waitFor(async () => {
    await imported(id);
    expect(await storedObjects(lender.dataDir, 'crawls/')).toEqual([]);
  }, SOON);

  const { 'Googlebot 200': found = 0, 'Googlebot 404': missing = 0, ...rest } = await imported(id);
  expect(rest).toEqual(exact);
  expect(found).toBeGreaterThanOrEqual(20);
  expect(found).toBeLessThanOrEqual(28);
  expect(missing).toBeGreaterThanOrEqual(10);
  expect(missing).toBeLessThanOrEqual(14);
});

test('processes that end write their last counts first', async () => {
  const { id, hostname } = await publishedSite();
  await using hosting = await startHosting(lender, {
    ...AT_ONCE,
    HOSTING_PROCESSES: '2',
    CRAWL_COUNTS_MS: NEVER_MS,
  });
  await crawl(hosting, hostname, GOOGLEBOT, 40);
  expect(await imported(id)).toEqual({});
  expect(await hosting.process.stop()).toMatchObject({ code: 0 });
  await vi.waitFor(
    async () => expect(await imported(id)).toEqual({ 'Googlebot 200': 40, 'Googlebot 404': 20 }),
    SOON,
  );
});

test('files are counted as they were asked for, but for the last interval of a killed process, and the API lists them', async () => {
  const { id, hostname } = await customer.verifiedDomain();
  // Three parts and their index.
  await customer.publish({ domain: hostname, urls: entries(2_500), sizeLimit: 'gsc-optimized' });
  const settings = { ...AT_ONCE, CRAWL_COUNTS_MS: NEVER_MS };
  const ask = async (hosting: Hosting, userAgent: string, path: string, headers = {}) => {
    const answer = await fetchFile(hosting, hostname, path, {
      headers: { 'User-Agent': userAgent, ...headers },
    });
    return answer.status;
  };
  // A killed process loses the counts of its last interval, and nothing else.
  await using killed = await startHosting(lender, settings);
  expect(await ask(killed, GOOGLEBOT, '/sitemap.3.xml')).toBe(200);
  killed.process.kill('SIGKILL');
  await killed.process.exited;

  const before = new Date(Math.floor(Date.now() / 1000) * 1000);
  await using hosting = await startHosting(lender, settings);
  const asked: [userAgent: string, path: string, status: number][] = [
    ...[1, 2, 2].map((n) => [GOOGLEBOT, `/sitemap.${n}.xml`, 200] as [string, string, number]),
    [BINGBOT, '/sitemap.1.xml.gz', 200],
    [BINGBOT, '/robots.txt', 200],
    [GOOGLEBOT, '/sitemap.xml', 200],
    ...[...Array(23).keys()].map((n) => [BINGBOT, `/sitemap-news${n}.xml`, 404] as [string, string, number]),
    [GOOGLEBOT, '/sitemap.9.xml', 404],
    [GOOGLEBOT, '/wp-login.php', 404],
  ];
  for (const [userAgent, path, status] of asked) expect(await ask(hosting, userAgent, path)).toBe(status);
  expect(await ask(hosting, GOOGLEBOT, '/sitemap.2.xml', { 'If-None-Match': '*' })).toBe(304);
  await hosting.process.stop();
  await vi.waitFor(async () => {
    await imported(id);
    expect(await storedObjects(lender.dataDir, 'crawls/')).toEqual([]);
  }, SOON);

  const { json } = await customer.call(`GET /api/domains/${id}/crawls`);
  type Visit = {
    file: string;
    crawler: string;
    status: number;
    requests: number;
    lastVisitAt: string;
    url: string;
  };
  expect(
    json.data.map(({ file, crawler, status, requests }: Visit) => `${file} ${crawler} ${status} ${requests}`),
  ).toEqual([
    'robots.txt Bingbot 200 1',
    'sitemap.1.xml Bingbot 200 1',
    'sitemap.1.xml Googlebot 200 1',
    'sitemap.2.xml Googlebot 304 3',
    'sitemap.xml Googlebot 200 1',
  ]);
  for (const { lastVisitAt, url, file } of json.data as Visit[]) {
    expect(Date.parse(lastVisitAt)).toBeGreaterThanOrEqual(before.getTime());
    expect(new URL(url)).toMatchObject({ pathname: `/${file}`, hostname });
  }

  const errors = await customer.call(`GET /api/domains/${id}/crawls/errors?limit=100`);
  const missing = (
    errors.json.data as { file: string | null; crawler: string; requests: number; missing: boolean }[]
  ).map((error) => [error.file, error.crawler, error.requests, error.missing]);
  // Of each site, a process counts 20 missing names by name. The others are in no file.
  const named = [...Array(20).keys()].map((n) => [`sitemap-news${n}.xml`, 'Bingbot', 1, true]);
  expect(new Set(missing)).toEqual(
    new Set([[null, 'Bingbot', 3, true], [null, 'Googlebot', 1, true], ...named]),
  );

  const pages = async (path: string) => {
    const rows = [];
    for (let cursor: string | undefined; ; ) {
      const { json: page } = await customer.call(`GET ${path}?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      rows.push(...page.data);
      if (!page.pagination.hasMore) return rows;
      cursor = page.pagination.cursor;
    }
  };
  for (const list of ['crawls', 'crawls/errors']) {
    const path = `/api/domains/${id}/${list}`;
    const rows = await pages(path);
    const csv = await send(`${lender.apiUrl}${path}?form=csv`, { headers: { 'X-API-Key': customer.key } });
    expect(csv).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringMatching(/^text\/csv\b/) },
    });
    const shown = rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')])),
    );
    expect(parse(csv.body, { columns: true })).toEqual(shown);
    const byAccept = await send(lender.apiUrl + path, {
      headers: { 'X-API-Key': customer.key, Accept: 'text/csv' },
    });
    expect(byAccept.body).toEqual(csv.body);
  }
  for (const [query, field] of [
    ['form=xml', 'form'],
    ['status=40', 'status'],
    ['crawler=a&crawler=b', 'crawler'],
  ]) {
    const refused = await customer.call(`GET /api/domains/${id}/crawls/errors?${query}`);
    expect(refused).toMatchObject({ status: 422, json: { error: { details: { field } } } });
  }
});

test('with 0, nothing is counted', async () => {
  const { hostname } = await publishedSite();
  await using hosting = await startHosting(lender, { ...AT_ONCE, CRAWL_COUNTS_MS: '0' });
  await crawl(hosting, hostname, GOOGLEBOT, 2);
  await hosting.process.stop();
  expect(await storedObjects(lender.dataDir, 'crawls/')).toEqual([]);
});
