/** Three separate processes: the main job on one database and one object storage. The Postgres is an older one, if one is installed. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import type { Process } from '../../tools/start-command.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { isHere } from '../support/needs.ts';
import { startOlderPostgres } from '../support/older-postgres.ts';
import { SOON } from '../support/soon.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { crawl, fetchFile } from './support/crawler.ts';
import { createCustomer, customerWith } from './support/customer.ts';
import { entryAt, uploadDocument } from './support/entries.ts';
import { PATIENT, runProcess, serves, startProcess } from './support/processes.ts';
import { createStore, storeSettings } from './support/store.ts';
import { useWaypost } from './support/use-waypost.ts';
import { createFolder, runCli } from './support/waypost.ts';

const older = isHere('an older Postgres')
  ? await startOlderPostgres(await createTemporaryFolder())
  : undefined;
/** Lends its Postgres server, and runs commands. */
const lender = await useWaypost();
const dns = await startDnsServer();
const folder = await createFolder();
await createStore(folder.path);
const serverUrl = older?.url.reveal() ?? (await readFile(join(lender.dataDir, 'postgres', 'url'), 'utf8'));
await query(serverUrl, 'CREATE DATABASE separate');
const databaseUrl = Object.assign(new URL(serverUrl), { pathname: '/separate' }).href;

const [apiPort, hostingPort] = [await freePort(), await freePort()];
const shared = {
  DATABASE_URL: databaseUrl,
  ...storeSettings(folder.path),
  CNAME_BASE: 'cname.example.net',
  CNAME_SECRET: 'a secret that is kept for ever',
  DNS_SERVERS: dns.address,
  API_PORT: String(apiPort),
  HOSTING_PORT: String(hostingPort),
  LOG_LEVEL: 'warn',
  ...PATIENT,
  IDLE_GRACE_MS: '0',
};
const addresses = {
  dataDir: folder.path,
  apiUrl: `http://127.0.0.1:${apiPort}`,
  hostingUrl: `http://127.0.0.1:${hostingPort}`,
};
const running: Process[] = [];
afterAll(async () => {
  await Promise.all(running.map((process) => process.stop()));
  await older?.stop();
  await dns[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function query(connectionString: string, statement: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

test('migrate brings the database to the schema, and a second run changes nothing', async () => {
  const first = await runProcess('src/migrate.ts', shared);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('0001_first') });
  const second = await runProcess('src/migrate.ts', shared);
  expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('up to date') });
});

test('API, hosting and jobs do the main job together, and end with 0', async () => {
  const api = startProcess('src/api-server.ts', shared);
  const hosting = startProcess('src/hosting-server.ts', { ...shared, DATABASE_URL: '' });
  const jobs = startProcess('src/job-runner.ts', shared);
  running.push(api, hosting, jobs);
  await serves(api, addresses.apiUrl);
  await serves(hosting, addresses.hostingUrl);

  const accountId = (await runCli(shared, 'account', 'create', 'separate', '--plan', 'pro')).stdout.trim();
  const key = (await runCli(shared, 'key', 'create', accountId)).stdout.trim();
  const customer = customerWith(addresses, accountId, key);
  const local = await customer.call('POST /api/domains', { body: { hostname: 'maps.localhost' } });
  // Spec D24: only all in one accepts .localhost names.
  expect({ status: local.status, field: local.json.error?.details.field }).toEqual({
    status: 422,
    field: 'hostname',
  });

  const { hostname, id, cnameTarget } = await customer.createDomain('maps.customer.com');
  expect(cnameTarget).toMatch(/^[a-z2-7]{32}\.cname\.example\.net$/);
  dns.answers.set(hostname, { cname: cnameTarget });
  expect((await customer.call(`POST /api/domains/${id}/verify`)).json.data.status).toBe('verified');

  const count = 100_000;
  const sizeLimit = 'balanced';
  const data = await customer.publish(uploadDocument({ domain: hostname, sizeLimit }, count));
  expect(data).toMatchObject({
    urlCount: count,
    filesGenerated: 10,
    // Spec D7: public addresses, independent of the port here.
    sitemapUrl: 'https://maps.customer.com/sitemap.xml',
    indexUrl: 'https://maps.customer.com/sitemap-index.xml',
  });
  const served: string[] = [];
  for await (const { xml } of crawl(addresses, hostname)) {
    for (const [, loc = ''] of xml.matchAll(/<loc>(.*?)<\/loc>/g)) served.push(loc);
  }
  expect(served).toHaveLength(count);
  expect(served.every((loc, i) => loc === entryAt(i).loc)).toBe(true);

  // A job that is enqueued gets done.
  await query(databaseUrl, "SELECT graphile_worker.add_job('garbage.collect')");
  await vi.waitFor(async () => {
    const left = await query(
      databaseUrl,
      "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'garbage.collect' AND key IS NULL",
    );
    expect(left.rowCount).toBe(0);
  }, SOON);

  for (const process of [api, hosting, jobs]) {
    const end = await process.stop();
    expect({ ...end, stderr: process.stderr() }).toEqual({ code: 0, signal: null, stderr: '' });
  }
  expect(hosting.stdout() + api.stdout()).not.toContain('secret');
});

test('two API processes count one rate limit and keep one domain limit', async () => {
  const second = { ...shared, API_PORT: String(await freePort()) };
  const [first, other] = [
    startProcess('src/api-server.ts', shared),
    startProcess('src/api-server.ts', second),
  ];
  const both = [first, other];
  running.push(...both);
  const secondUrl = `http://127.0.0.1:${second.API_PORT}`;
  await serves(first, addresses.apiUrl);
  await serves(other, secondUrl);
  const accountId = (await runCli(shared, 'account', 'create', 'two', '--plan', 'starter')).stdout.trim();
  const key = (await runCli(shared, 'key', 'create', accountId)).stdout.trim();
  const customers = [addresses, { ...addresses, apiUrl: secondUrl }].map((at) =>
    customerWith(at, accountId, key),
  );

  const create = (n: number) =>
    customers[n % 2]!.call('POST /api/domains', { body: { hostname: `maps-${n}.customer.org` } });
  const created = await Promise.all(Array.from({ length: 10 }, (_, n) => create(n)));
  expect(created.filter(({ status }) => status === 201)).toHaveLength(3);
  const listed = await Promise.all(
    Array.from({ length: 20 }, (_, n) => customers[n % 2]!.call('GET /api/domains')),
  );
  expect(listed.filter(({ status }) => status === 200)).toHaveLength(10);
  for (const process of both) expect((await process.stop()).code).toBe(0);
});

test.each<[string, string[]]>([
  ['src/api-server.ts', ['DATABASE_URL', 'CNAME_BASE', 'CNAME_SECRET']],
  ['src/job-runner.ts', ['DATABASE_URL']],
  ['src/migrate.ts', ['DATABASE_URL']],
  ['src/hosting-server.ts', ['STORAGE_DIR', 'S3_ENDPOINT']],
])('%s without its settings names all of them and ends with 78', async (script, names) => {
  const { code, stderr } = await runProcess(script, { API_PORT: '0', HOSTING_PORT: '0' });
  expect(code).toBe(78);
  for (const name of names) expect(stderr).toContain(name);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('a busy port is named, together with the cure', async () => {
  const { port } = new URL(lender.apiUrl);
  const { code, stderr } = await runProcess('src/hosting-server.ts', { ...shared, HOSTING_PORT: port });
  expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringMatching(/HOSTING_PORT/) });
});

test('an account of one database is unknown in another', async () => {
  const customer = await createCustomer(lender, 'free');
  const { stdout } = await runCli(shared, 'account', 'list');
  expect(stdout).not.toContain(customer.accountId);
  expect((await fetchFile(lender, 'maps.customer.com', '/sitemap.xml')).status).toBe(404);
});
