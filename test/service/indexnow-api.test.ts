/** IndexNow over HTTP: the switch, the keys, and the key file at our own hostname. Nothing here needs a comparison. */
import { expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { uploadDocument } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';
import { cli } from './support/waypost.ts';

const waypost = await useWaypost();
const [customer, other] = [await createCustomer(waypost), await createCustomer(waypost)];
const enable = { indexNow: { enabled: true } };

test('spec D36: the switch of a domain is off, and PATCH answers the domain as GET does', async () => {
  const { id } = await customer.createDomain();
  const path = `/api/domains/${id}`;
  expect((await customer.call(`GET ${path}`)).json.data.indexNow).toEqual({ enabled: false });
  for (const enabled of [true, true, false, true]) {
    const patched = await customer.call(`PATCH ${path}`, { body: { indexNow: { enabled } } });
    expect(patched.status).toBe(200);
    expect(patched.json.data.indexNow).toEqual({ enabled });
    expect((await customer.call(`GET ${path}`)).json).toEqual(patched.json);
  }
  for (const body of [{}, { indexNow: null }, { indexNow: {} }]) {
    const { status, json } = await customer.call(`PATCH ${path}`, { body });
    expect({ status, indexNow: json.data.indexNow }).toEqual({ status: 200, indexNow: { enabled: true } });
  }
});

test('spec D36: a switch that is written otherwise is refused', async () => {
  const { id } = await customer.createDomain();
  for (const [body, field, message] of [
    [{ indexnow: { enabled: true } }, 'indexnow', 'did you mean indexNow?'],
    [{ indexNow: { enable: true } }, 'indexNow.enable', 'did you mean indexNow.enabled?'],
    [{ indexNow: { enabled: 'yes' } }, 'indexNow.enabled', 'must be true or false'],
    [{ indexNow: true }, 'indexNow', 'must be an object'],
    [{ indexNow: [] }, 'indexNow', 'must be an object'],
    [{ hostname: 'other.example.com' }, 'hostname', 'is not known here'],
  ] as const) {
    const { status, json } = await customer.call(`PATCH /api/domains/${id}`, { body });
    expect({ status, code: json.error.code, field: json.error.details.field }).toEqual({
      ...{ status: 422, code: 'VALIDATION_ERROR', field },
    });
    expect(json.error.message).toContain(message);
  }
});

test('spec D19: the domain of another account is 403, an unknown one 404', async () => {
  const { id } = await customer.createDomain();
  for (const [method, path, body] of [
    ['PATCH', '', enable],
    ['GET', '/indexnow', undefined],
    ['POST', '/indexnow/verify', { host: 'www.example.com' }],
  ] as const) {
    expect((await other.call(`${method} /api/domains/${id}${path}`, { body })).status).toBe(403);
    expect((await other.call(`${method} /api/domains/domain_none${path}`, { body })).status).toBe(404);
  }
});

test('spec D51: the answer to an upload says whether its changes are going to be submitted', async () => {
  const { id, hostname } = await customer.createDomain();
  let count = 0;
  const upload = async (sitemapName?: string, urlCount = ++count) =>
    (await customer.publish(uploadDocument({ domain: hostname, sitemapName }, urlCount))).indexNow;
  expect(await upload()).toBeUndefined();
  await customer.call(`PATCH /api/domains/${id}`, { body: enable });
  expect(await upload()).toEqual({ status: 'pending', urlsSubmitted: 0 });
  expect(await upload('new')).toEqual({ status: 'skipped', urlsSubmitted: 0 });
  expect(await upload('new')).toEqual({ status: 'pending', urlsSubmitted: 0 });
  // The same list again has no changes to submit.
  expect(await upload('new', count)).toEqual({ status: 'skipped', urlsSubmitted: 0 });
});

test('spec D52: a host gets a key, which our hostname serves, and a private address is not asked', async () => {
  const { id, hostname } = await customer.verifiedDomain();
  await customer.publish(uploadDocument({ domain: hostname }, 1));
  const path = `/api/domains/${id}/indexnow`;
  const verify = (host: unknown) => customer.call(`POST ${path}/verify`, { body: { host } });
  expect((await verify('http://169.254.169.254')).status).toBe(409);
  await customer.call(`PATCH /api/domains/${id}`, { body: enable });
  expect((await customer.call(`GET ${path}`)).json.data).toEqual({
    ...{ enabled: true, endpointConfigured: true, hosts: [] },
  });
  const { status, json } = await verify('http://169.254.169.254');
  expect({ status, data: json.data }).toEqual({
    status: 200,
    data: {
      host: '169.254.169.254',
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      keyFile: `http://169.254.169.254/${json.data.key}.txt`,
      ...{ verified: false, problem: expect.stringContaining('not public'), queued: 0, sentToday: 0 },
      ...{ lastStatus: null, lastSubmittedAt: null, pausedUntil: null },
    },
  });
  expect((await customer.call(`GET ${path}`)).json.data.hosts).toEqual([json.data]);
  await vi.waitFor(async () => {
    const file = await fetchFile(waypost, hostname, `/${json.data.key}.txt`);
    expect({ status: file.status, body: String(file.body) }).toEqual({ status: 200, body: json.data.key });
  }, SOON);
  expect((await fetchFile(waypost, hostname, `/${'0'.repeat(32)}.txt`)).status).toBe(404);
  for (const host of [undefined, 7, 'a b', 'www.example.com/path']) {
    const refused = await verify(host);
    expect({ status: refused.status, field: refused.json.error.details.field }).toEqual({
      ...{ status: 422, field: 'host' },
    });
  }
});

test('operators see the page hosts of a domain, and can make them due', async () => {
  const { id, hostname } = await customer.createDomain();
  const run = (...args: string[]) => cli(waypost.dataDir, 'indexnow', ...args);
  await expect(run('retry', hostname)).rejects.toThrow('has not enabled IndexNow');
  await customer.call(`PATCH /api/domains/${id}`, { body: enable });
  await customer.call(`POST /api/domains/${id}/indexnow/verify`, { body: { host: 'http://10.0.0.1' } });
  expect(JSON.parse(await run('list', '--domain', hostname, '--json'))).toMatchObject([
    { hostname, accountId: customer.accountId, host: '10.0.0.1', isVerified: false, urls: 0, batches: 0 },
  ]);
  expect(await run('list', '--domain', hostname)).toContain('10.0.0.1');
  expect(await run('retry', hostname)).toContain('are due now');
});
