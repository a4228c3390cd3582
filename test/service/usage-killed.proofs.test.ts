/**
 * Usage against the client's own counts, over two API, two hosting and two jobs processes, which are killed again and again: what is
 * acknowledged counts once (docs/decisions/0078).
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { type ApiAnswer, createCustomer, customerWith } from './support/customer.ts';
import type { Environment } from './support/processes.ts';
import { addressesOf, openBackend } from './support/separate-waypost.ts';
import { startKillable } from './support/start-killable.ts';
import { createFolder } from './support/waypost.ts';

const ROUNDS = 10;
const UPLOADS = 8;
const FETCHES = 40;

const scope = new AsyncDisposableStack();
afterAll(() => scope.disposeAsync());
const { path: dataDir } = scope.use(await createFolder());
const { settings, dns } = await openBackend(dataDir);
scope.use(dns);
const shared = {
  ...settings,
  PUBLIC_ORIGIN: 'http://{hostname}',
  PLANS: '{"enterprise":{"requestsPerMinute":1000000}}',
  CRAWL_COUNTS_MS: '200',
};
const database = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 1 });
scope.defer(() => database.end());

const killable = (script: string, environment: Environment, url?: string) =>
  startKillable(scope, script, { ...shared, ...environment }, url);

async function startSide() {
  const [apiPort, hostingPort] = [await freePort(), await freePort()];
  const addresses = { dataDir, dns, ...addressesOf(apiPort, hostingPort) };
  return {
    addresses,
    killApi: await killable('src/api-server.ts', { API_PORT: String(apiPort) }, addresses.apiUrl),
    killHosting: await killable(
      'src/hosting-server.ts',
      { HOSTING_PORT: String(hostingPort), DATABASE_URL: '' },
      addresses.hostingUrl,
    ),
    killJobs: await killable('src/job-runner.ts', {}),
  };
}
const sides = [await startSide(), await startSide()] as const;
const first = await createCustomer(sides[0].addresses);
const customers = [first, customerWith(sides[1].addresses, first.accountId, first.key)] as const;

const counted = { acceptedUrls: 0, receivedBytes: 0, servedRequests: 0, servedBytes: 0 };
const requests = { answered: 0, lost: 0 };
let turn = 0;

/** Calls one process after the other until one of them answers for good. */
async function persist(route: string, request: Parameters<typeof first.call>[1] = {}): Promise<ApiAnswer> {
  for (;;) {
    const answer = await customers[turn++ % 2]!.call(route, request).catch(() => undefined);
    if (answer === undefined) requests.lost++;
    else requests.answered++;
    const isUnderWay = answer?.json.error?.details?.field === 'Idempotency-Key';
    if (answer !== undefined && answer.status < 500 && !isUnderWay) return answer;
    await delay(50);
  }
}

let uploads = 0;
async function uploadOne(hostname: string): Promise<void> {
  const n = ++uploads;
  const count = 1 + (n % 50);
  const urls = Array.from({ length: count }, (_, i) => ({ loc: `https://www.example.com/${n}/${i}` }));
  const body = JSON.stringify({ domain: hostname, sitemapName: `s${n % 5}`, urls });
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `upload-${n}` };
  const answer = await persist('POST /api/sitemap/generate', { body, headers });
  expect(answer.status).toBe(200);
  counted.acceptedUrls += count;
  counted.receivedBytes += Buffer.byteLength(body);
}

async function fetchOne(hostname: string, n: number): Promise<void> {
  const { addresses } = sides[n % 2]!;
  const path = ['/sitemap-index.xml', '/sitemap-none.xml', '/robots.txt'][n % 3]!;
  const method = n % 5 === 0 ? 'HEAD' : 'GET';
  const { body } = await fetchFile(addresses, hostname, path, { method });
  counted.servedRequests++;
  counted.servedBytes += body.length;
}

const readUsage = async () => (await persist('GET /api/usage')).json.data.totals;
const run = (job: string, key: string) =>
  database.query('SELECT graphile_worker.add_job($1, job_key => $2)', [job, `${job} ${key}`]);

test('what is acknowledged counts once, whatever process was killed', async () => {
  const { hostname } = await first.verifiedDomain();
  const before = await readUsage();
  Object.assign(requests, { answered: 0, lost: 0 });
  for (let round = 0; round < ROUNDS; round++) {
    const side = sides[round % 2]!;
    const killing = (async () => {
      await delay(100 + 40 * round);
      await run('usage.sum', String(round));
      await (round % 4 === 3 ? side.killJobs() : side.killApi());
    })();
    const writers = Array.from({ length: 4 }, async () => {
      for (let n = 0; n < UPLOADS / 4; n++) await uploadOne(hostname);
    });
    const fetches = async () => {
      for (let n = 0; n < FETCHES; n++) await fetchOne(hostname, n);
    };
    await Promise.all([killing, ...writers, round === 0 ? undefined : fetches()]);
    // What hosting has written is not lost with its process.
    await vi.waitFor(async () => {
      await run('crawls.import', `${round} ${performance.now()}`);
      expect(await readUsage()).toMatchObject(counted);
    }, SOON);
    if (round % 3 === 1) await side.killHosting();
  }
  await run('usage.sum', 'last');
  const usage = await readUsage();
  expect(usage).toMatchObject(counted);
  // A request whose answer was lost may have been counted.
  expect(usage.requests - before.requests).toBeGreaterThanOrEqual(requests.answered);
  expect(usage.requests - before.requests).toBeLessThanOrEqual(requests.answered + requests.lost);
  expect(requests.lost).toBeGreaterThan(0);

  const lostBefore = requests.lost;
  for (let n = 0; n < 20; n++) await persist('GET /api/domains');
  const after = await readUsage();
  // Its own request counts, too.
  expect({ requests: after.requests, lost: requests.lost }).toEqual({
    requests: usage.requests + 21,
    lost: lostBefore,
  });
  const { rows } = await database.query('SELECT FROM usage_days WHERE account_id = $1', [first.accountId]);
  expect(rows.length).toBeGreaterThan(0);
});
