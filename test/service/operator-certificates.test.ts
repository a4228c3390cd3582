/** Certificates of an all in one: from verified to active by itself, over HTTPS, in the API, and for operators. */
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { SOON, soon } from '../support/soon.ts';
import { createCustomer } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';
import { runCli } from './support/waypost.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const waypost = await useWaypost();
const { httpsUrl } = JSON.parse(await readFile(join(waypost.dataDir, 'demo.json'), 'utf8'));
const run = (...args: string[]) => runCli(waypost.settings, ...args);

/** The domain is active in the database just before hosting can know its certificate. */
async function activeDomain() {
  const customer = await createCustomer(waypost, 'pro');
  const { hostname, id } = await customer.verifiedDomain();
  const read = async () => (await customer.call(`GET /api/domains/${id}`)).json.data;
  await expect.poll(async () => (await read()).status).toBe('active');
  await vi.waitFor(() => getOverHttps(hostname, '/robots.txt'), SOON);
  return { customer, hostname, read };
}

/** The status, and the serial number of the certificate, for a client that trusts the local authority alone. */
async function getOverHttps(hostname: string, path: string): Promise<{ status: number; serial: string }> {
  const ca = await readFile(join(waypost.dataDir, 'ca.pem'));
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; serial: string }>();
  const options = { ca, servername: hostname, headers: { Host: hostname }, agent: false };
  request(new URL(path, httpsUrl), options, (answer) => {
    const serial = (answer.socket as TLSSocket).getPeerCertificate().serialNumber;
    answer.resume().on('end', () => resolve({ status: answer.statusCode!, serial }));
  })
    .on('error', reject)
    .end();
  return promise;
}

test('spec 3 a verified domain becomes active by itself, and serves its sitemaps over HTTPS', async () => {
  const { customer, hostname, read } = await activeDomain();
  expect(await read()).toMatchObject({
    sslStatus: 'active',
    certificate: {
      issuer: 'Waypost on this machine',
      notAfter: TIME,
      renewAt: TIME,
      lastError: null,
      nextAttemptAt: TIME,
    },
  });
  await customer.publish({ domain: hostname, urls: entries(3) });
  expect(await getOverHttps(hostname, '/sitemap.xml')).toMatchObject({ status: 200 });
});

test('spec D45 a domain that is not verified has no certificate', async () => {
  const customer = await createCustomer(waypost, 'pro');
  const created = await customer.call('POST /api/domains', { body: { hostname: 'pending.test.localhost' } });
  const { json } = await customer.call(`GET /api/domains/${created.json.data.id}`);
  expect(json.data).toMatchObject({ status: 'pending_verification', certificate: null });
});

test('4.4 after DELETE the hostname has no certificate', async () => {
  const { customer, hostname, read } = await activeDomain();
  const { id } = await read();
  await customer.call(`DELETE /api/domains/${id}`);
  const isRefused = (error: Error) => /alert/.test(error.message);
  await vi.waitUntil(
    () => getOverHttps(hostname, '/robots.txt').then(() => false, isRefused),
    soon('a refusal'),
  );
});

test('operators list certificates, and get a new one at once', async () => {
  const { hostname } = await activeDomain();
  const { stdout } = await run('certificate', 'list', '--json');
  const listed = JSON.parse(stdout).find((one: { hostname: string }) => one.hostname === hostname);
  expect(listed).toMatchObject({ status: 'active', issuer: 'Waypost on this machine', lastError: null });
  expect((await run('certificate', 'list', '--failing')).code).toBe(0);
  const { serial } = await getOverHttps(hostname, '/robots.txt');
  expect(await run('certificate', 'renew', hostname)).toMatchObject({ code: 0, stderr: '' });
  await vi.waitUntil(async () => (await getOverHttps(hostname, '/robots.txt')).serial !== serial, {
    ...soon('another certificate'),
    interval: 500,
  });
});

test('a domain that is not served has no certificate to renew', async () => {
  const customer = await createCustomer(waypost, 'pro');
  await customer.call('POST /api/domains', { body: { hostname: 'other.test.localhost' } });
  const { code, stderr } = await run('certificate', 'renew', 'other.test.localhost');
  expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining('Verify it first.') });
});
