/** Spec D30, D35 and D44: a domain moves away, fails, and its hostname goes to another account. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { startDnsServer } from '../support/dns-server.ts';
import { fetchFile, fetchLocs, isGone } from './support/crawler.ts';
import { createCustomer, type Domain, uniqueHostname } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { useOwnWaypost } from './support/use-waypost.ts';

const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const waypost = await useOwnWaypost({ DNS_SERVERS: dns.address }, (line) =>
  line.includes('its DNS records lead elsewhere'),
);
const [customer, other] = [await createCustomer(waypost), await createCustomer(waypost)];

const connectionString = await readFile(join(waypost.dataDir, 'postgres', 'url'), 'utf8');

async function query(text: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Lets time pass for a domain, has its check done by the jobs, and waits for the result. */
async function checkAfter({ id }: Domain, passed: string): Promise<void> {
  const [before] = await query(
    `UPDATE domains SET checked_at = checked_at - $2::interval, wrong_at = wrong_at - $2::interval,
            moved_at = moved_at - $2::interval, check_at = now() WHERE id = $1 RETURNING checked_at`,
    [id, passed],
  );
  await expect
    .poll(async () => (await query('SELECT checked_at FROM domains WHERE id = $1', [id]))[0].checked_at)
    .not.toEqual(before.checked_at);
}

const read = async ({ id }: Domain, by = customer) => (await by.call(`GET /api/domains/${id}`)).json.data;
const verify = async ({ id }: Domain, by = customer) =>
  (await by.call(`POST /api/domains/${id}/verify`)).json.data;

test('spec D44 a domain shows its wanted and found records', async () => {
  const domain = await customer.createDomain(uniqueHostname('example.com'));
  const { hostname, cnameTarget } = domain;
  const wanted = { type: 'CNAME', name: hostname, value: cnameTarget };
  const alternative = { type: 'TXT', name: `_waypost.${hostname}`, value: cnameTarget.split('.')[0] };
  const first = (await read(domain)).dns;
  expect(first).toEqual({
    ...first,
    wanted,
    alternative,
    found: [],
    proxied: false,
    problem: null,
    ...{ state: 'not_found', zone: 'example.com', provider: null, suggestion: null },
    checkedAt: null,
    nextCheckAt: expect.any(String),
  });
  dns.answers.set(hostname, { cname: 'other.example.net' });
  const { message } = await verify(domain);
  dns.asked.length = 0;
  const checked = (await read(domain)).dns;
  expect(checked).toEqual({
    ...checked,
    wanted,
    alternative,
    ...{ state: 'wrong_target', message: 'The record points to other.example.net. Change its value.' },
    found: [{ type: 'CNAME', name: hostname, value: 'other.example.net' }],
    proxied: false,
    problem: message,
    checkedAt: expect.stringMatching(/Z$/),
    nextCheckAt: expect.any(String),
  });
  expect(dns.asked).toEqual([]);
  dns.answers.set(hostname, { a: ['104.16.1.1'] });
  await verify(domain);
  expect((await read(domain)).dns).toMatchObject({
    proxied: true,
    problem: expect.any(String),
    nextCheckAt: expect.any(String),
  });
  dns.answers.set(hostname, { cname: cnameTarget });
  await verify(domain);
  const { dns: right, certificate } = await read(domain);
  expect(right).toMatchObject({ proxied: false, problem: null });
  expect(Date.parse(right.nextCheckAt)).toBeGreaterThan(Date.parse(right.checkedAt));
  expect(certificate).toHaveProperty('notBefore');
});

test('spec D30 and D35 a domain that moved away for 7 days fails, and another account gets the hostname', async () => {
  const hostname = uniqueHostname('example.com');
  const [mine, theirs] = [await customer.createDomain(hostname), await other.createDomain(hostname)];
  dns.answers.set(hostname, { cname: mine.cnameTarget });
  await customer.publish({ domain: hostname, urls: entries(3) });
  await verify(mine);
  expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(3);

  dns.answers.set(hostname, { cname: theirs.cnameTarget });
  expect(await verify(theirs, other)).toMatchObject({
    status: 'pending_verification',
    message: expect.stringContaining('another account'),
  });
  expect(await other.call('POST /api/domains', { body: { hostname } })).toMatchObject({ status: 409 });
  for (const passed of ['1 day', '15 minutes', '15 minutes', ...Array(6).fill('1 day')])
    await checkAfter(mine, passed);
  expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(200);
  await checkAfter(mine, '1 day');
  await isGone(waypost, hostname, '/sitemap.xml');
  const failed = await read(mine);
  expect(failed).toMatchObject({ status: 'failed', sslStatus: 'failed' });
  expect(failed.message).toContain(theirs.cnameTarget);
  expect(failed.message).toContain(mine.cnameTarget);

  expect(await verify(theirs, other)).toMatchObject({ status: 'verified' });
  expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(404);
  await other.publish({ domain: hostname, urls: entries(2) });
  await expect.poll(async () => (await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(200);
  expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(2);
  expect(await customer.call(`DELETE /api/domains/${mine.id}`)).toMatchObject({ status: 200 });
  expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(2);
});
