/** Spec 4.2 and spec 4.4, spec D20 and D29: reading and deleting the domains and sitemaps of an account. */
import { expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile, fetchLocs, isGone } from './support/crawler.ts';
import { type Customer, createCustomer, SETTLED } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);
/** Has no domains until the last test. */
const newcomer = await createCustomer(waypost);

/** Newest first. */
async function createDomains(by: Customer, count: number): Promise<string[]> {
  const ids = [];
  for (let n = 0; n < count; n++) ids.unshift((await by.createDomain()).id);
  return ids;
}

function idsOf(domains: { id: string }[]): string[] {
  return domains.map(({ id }) => id);
}

const other = await createCustomer(waypost);
const owned = await other.verifiedDomain();
await other.publish({ domain: owned.hostname, urls: entries(1) });
/** Of `other`; the test that changes them comes last. */
const otherIds = [...(await createDomains(other, 51)), owned.id];

test('4.2 an account without domains has an empty list, whatever other accounts have', async () => {
  const { status, json } = await newcomer.call('GET /api/domains');
  expect(status).toBe(200);
  expect(json).toEqual({ success: true, data: [], pagination: { hasMore: false } });
});

test('4.2 a listed domain has the totals of its sitemaps', async () => {
  const { id, hostname, cnameTarget } = await customer.createDomain();
  const list = async () => (await customer.call('GET /api/domains')).json.data[0];
  const created = await list();
  expect(created).toEqual({
    id,
    hostname,
    status: 'pending_verification',
    sslStatus: 'pending',
    cnameTarget,
    urlCount: 0,
    sitemapCount: 0,
    lastUpdated: null,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  });

  await customer.publish({ domain: hostname, urls: entries(3) });
  await customer.publish({
    domain: hostname,
    sitemapName: 'blog',
    sizeLimit: 'gsc-optimized',
    urls: entries(1001),
  });
  const filled = await list();
  expect(filled).toMatchObject({ urlCount: 1004, sitemapCount: 3 });
  expect(filled.lastUpdated).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(Date.parse(filled.lastUpdated)).toBeGreaterThanOrEqual(Date.parse(created.createdAt));

  await customer.publish({ domain: hostname, sitemapName: 'blog', force: true, urls: entries(2) });
  expect(await list()).toMatchObject({ urlCount: 5, sitemapCount: 2 });
  await customer.call(`POST /api/domains/${id}/verify`);
  await vi.waitFor(async () => {
    expect(await list()).toMatchObject(SETTLED);
  }, SOON);
});

test('spec D20 a page has 50 domains by default, newest first, and names the next page', async () => {
  const first = (await other.call('GET /api/domains')).json;
  expect(idsOf(first.data)).toEqual(otherIds.slice(0, 50));
  expect(first.pagination).toEqual({ hasMore: true, cursor: expect.any(String) });
  const second = (await other.call(`GET /api/domains?cursor=${first.pagination.cursor}`)).json;
  expect(idsOf(second.data)).toEqual(otherIds.slice(50));
  expect(second.pagination).toEqual({ hasMore: false });
  // The last page has no cursor, even if it is full.
  for (const limit of [52, 100]) {
    const whole = (await other.call(`GET /api/domains?limit=${limit}`)).json;
    expect(idsOf(whole.data)).toEqual(otherIds);
    expect(whole.pagination).toEqual({ hasMore: false });
  }
});

test('spec D13 a damaged cursor is refused', async () => {
  const { cursor } = (await other.call('GET /api/domains?limit=1')).json.pagination;
  const first = cursor.startsWith('A') ? 'B' : 'A';
  const twice = `${cursor}&cursor=${cursor}`;
  for (const wrong of ['', 'x', first + cursor.slice(1), `${cursor}A`, cursor.slice(0, -1), twice, '%00']) {
    const { status, json } = await other.call(`GET /api/domains?limit=1&cursor=${wrong}`);
    expect({ wrong, status, code: json.error?.code }).toEqual({ wrong, status: 400, code: 'BAD_REQUEST' });
  }
  expect((await other.call(`GET /api/domains?limit=1&cursor=${cursor}`)).status).toBe(200);
});

test.each(['0', '101', '-1', '1.5', '1e1', 'ten', '', '+1', '0x1', '1000', '%201', '5&limit=5'])(
  'spec D20 a limit of "%s" is refused',
  async (limit) => {
    const { status, json } = await customer.call(`GET /api/domains?limit=${limit}`);
    expect({ status, code: json.error?.code }).toEqual({ status: 400, code: 'BAD_REQUEST' });
  },
);

test.each([
  ['GET /api/domains?limits=2&limit=100', 'limits', '2', /did you mean limit\?/],
  ['GET /api/domains?page=2', 'page', '2', /expected one of limit, cursor/],
  ['GET /api/domains/none?limit=5', 'limit', '5', /not known/],
  ['POST /api/sitemap/generate?sitemap_name=blog', 'sitemap_name', 'blog', /did you mean sitemapName\?/],
  ['DELETE /api/domains/none/sitemaps/default?Name=x&Name=y', 'Name', ['x', 'y'], /not known/],
])('spec D16 %s is refused for its unknown query parameter', async (route, field, value, message) => {
  const { status, json } = await customer.call(route);
  expect({ status, code: json.error?.code }).toEqual({ status: 422, code: 'VALIDATION_ERROR' });
  expect(json.error.details).toEqual({ field, value });
  expect(json.error.message).toMatch(message);
});

test('spec D29 a single domain looks as it does in the list, with its DNS records (spec D44)', async () => {
  const { id, hostname } = await customer.createDomain();
  await customer.publish({ domain: hostname, urls: entries(2) });
  const { status, json } = await customer.call(`GET /api/domains/${id}`);
  expect(status).toBe(200);
  const listed = (await customer.call('GET /api/domains?limit=100')).json.data;
  const inList = listed.find((domain: { id: string }) => domain.id === id);
  expect(json.data).toEqual({
    ...inList,
    ...{ dns: expect.any(Object), certificate: null, indexNow: { enabled: false } },
    guard: { maxRemovedPercent: 50 },
    placement: 'stable',
    recent: { enabled: false, hours: 72, urlCount: 0, updatedAt: null, leftOut: [] },
    ...{ unicode: hostname, website: null, addedBy: 'test', urlsAWeekAgo: 0 },
    pendingUntil: expect.any(String),
  });
  expect(json.data.urlCount).toBe(2);
});

test('spec D29 the sitemaps of a domain are listed with their addresses', async () => {
  const { id, hostname } = await customer.verifiedDomain();
  const empty = await customer.call(`GET /api/domains/${id}/sitemaps`);
  expect(empty).toMatchObject({ status: 200 });
  expect(empty.json).toEqual({ success: true, data: [], pagination: { hasMore: false } });

  const unnamed = await customer.publish({ domain: hostname, urls: entries(3) });
  const blog = await customer.publish({
    domain: hostname,
    sitemapName: 'blog',
    sizeLimit: 'gsc-optimized',
    urls: entries(2001),
  });
  const { json } = await customer.call(`GET /api/domains/${id}/sitemaps`);
  const lastUpdated = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const bytes = (await fetchFile(waypost, hostname, '/sitemap.xml')).body.length;
  expect(json.data).toMatchObject([
    {
      name: 'default',
      generation: 1,
      urlCount: 3,
      files: 1,
      bytes,
      lastUpdated,
      sitemapUrl: unnamed.sitemapUrl,
    },
    {
      name: 'blog',
      urlCount: 2001,
      files: 3,
      bytes: expect.any(Number),
      lastUpdated,
      sitemapUrl: blog.sitemapUrl,
      indexUrl: blog.indexUrl,
    },
  ]);
  expect(json.data[0]).not.toHaveProperty('indexUrl');
});

test('spec D29 a deleted sitemap stops being served, and the others stay', async () => {
  const { id, hostname } = await customer.verifiedDomain();
  await customer.publish({ domain: hostname, urls: entries(1) });
  const sizeLimit = 'gsc-optimized';
  await customer.publish({ domain: hostname, sitemapName: 'a', sizeLimit, urls: entries(1001) });
  expect(await fetchLocs(waypost, hostname, '/sitemap-a.2.xml')).toHaveLength(1);

  const answer = await customer.call(`DELETE /api/domains/${id}/sitemaps/a`);
  expect(answer).toMatchObject({ status: 200, json: { success: true, data: { name: 'a', deleted: true } } });
  await isGone(waypost, hostname, '/sitemap-a.xml');
  await isGone(waypost, hostname, '/sitemap-a.2.xml');
  expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(1);
  expect((await customer.call(`DELETE /api/domains/${id}/sitemaps/a`)).status).toBe(404);

  expect((await customer.call(`DELETE /api/domains/${id}/sitemaps/default`)).status).toBe(200);
  await isGone(waypost, hostname, '/sitemap.xml');
  await isGone(waypost, hostname, '/sitemap-index.xml');
  expect((await customer.call(`GET /api/domains/${id}/sitemaps`)).json.data).toEqual([]);
  expect((await customer.call(`DELETE /api/domains/${id}/sitemaps/default`)).status).toBe(404);
  await customer.publish({ domain: hostname, urls: entries(2) });
  await expect.poll(async () => (await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(200);
});

test('spec D33 the sitemaps of a domain come in pages, by name', async () => {
  const { id, hostname } = await customer.createDomain();
  for (const sitemapName of ['b', 'C', null, 'a', '_', '-']) {
    await customer.publish({ domain: hostname, sitemapName, urls: entries(1) });
  }
  const seen: string[][] = [];
  for (let query = 'limit=2'; ; ) {
    const { data, pagination } = (await customer.call(`GET /api/domains/${id}/sitemaps?${query}`)).json;
    seen.push(data.map(({ name }: { name: string }) => name));
    if (!pagination.hasMore) {
      expect(pagination).toEqual({ hasMore: false });
      break;
    }
    query = `limit=2&cursor=${pagination.cursor}`;
  }
  expect(seen).toEqual([
    ['default', '-'],
    ['C', '_'],
    ['a', 'b'],
  ]);
  // The order starts with the unnamed sitemap.
  const first = (await customer.call(`GET /api/domains/${id}/sitemaps?limit=1`)).json;
  const second = await customer.call(
    `GET /api/domains/${id}/sitemaps?limit=1&cursor=${first.pagination.cursor}`,
  );
  expect(second.json.data[0].name).toBe('-');
  for (const query of ['limit=0', 'limit=101', 'cursor=x', `cursor=${first.pagination.cursor}A`]) {
    const { status, json } = await customer.call(`GET /api/domains/${id}/sitemaps?${query}`);
    expect({ query, status, code: json.error?.code }).toEqual({ query, status: 400, code: 'BAD_REQUEST' });
  }
});

test('a domain is found by its hostname', async () => {
  const { id, hostname } = await customer.createDomain();
  const unicode = `bücher.${hostname}`;
  const ascii = `xn--bcher-kva.${hostname}`;
  const registered = await customer.call('POST /api/domains', { body: { hostname: unicode } });
  const found = async (by: Customer, given: string) => {
    const { data, pagination } = (
      await by.call(`GET /api/domains?limit=1&hostname=${encodeURIComponent(given)}`)
    ).json;
    expect(pagination).toEqual({ hasMore: false });
    return data.map((one: { id: string }) => one.id);
  };
  expect(await found(customer, hostname)).toEqual([id]);
  expect(await found(customer, `${hostname.toUpperCase()}.`)).toEqual([id]);
  for (const given of [unicode, ascii])
    expect(await found(customer, given)).toEqual([registered.json.data.id]);
  for (const given of ['nowhere.example.com', 'no hostname', ''])
    expect(await found(customer, given)).toEqual([]);
  // What is registered in another account is not told.
  expect(await found(other, hostname)).toEqual([]);
  for (const query of ['hostname=a&hostname=b', 'hostname=%00']) {
    const { status, json } = await customer.call(`GET /api/domains?${query}`);
    expect({ query, status, code: json.error?.code }).toEqual({
      query,
      status: 422,
      code: 'VALIDATION_ERROR',
    });
  }
});

test('the sitemaps of a domain can be searched by name', async () => {
  const { id, hostname } = await customer.createDomain();
  for (const sitemapName of [null, 'Shoes_1', 'shoes-2', 'hats', 'de-shoes']) {
    await customer.publish({ domain: hostname, sitemapName, urls: entries(1) });
  }
  const path = `GET /api/domains/${id}/sitemaps`;
  const found = async (search: string) => {
    const { data } = (await customer.call(`${path}?search=${encodeURIComponent(search)}`)).json;
    return data.map(({ name }: { name: string }) => name);
  };
  expect(await found('SHOES')).toEqual(['Shoes_1', 'de-shoes', 'shoes-2']);
  expect(await found('fault')).toEqual(['default']);
  expect(await found('s_')).toEqual(['Shoes_1']);
  expect(await found('%')).toEqual([]);
  expect(await found(' ')).toHaveLength(5);
  const { pagination } = (await customer.call(`${path}?search=shoes&limit=2`)).json;
  const rest = (await customer.call(`${path}?search=shoes&limit=2&cursor=${pagination.cursor}`)).json;
  expect(rest).toMatchObject({ data: [{ name: 'shoes-2' }], pagination: { hasMore: false } });
  for (const [query, code] of [
    [`cursor=${pagination.cursor}`, 'BAD_REQUEST'],
    ['search=a&search=b', 'VALIDATION_ERROR'],
    ['search=%00', 'VALIDATION_ERROR'],
  ]) {
    const { json } = await customer.call(`${path}?${query}`);
    expect({ query, code: json.error?.code }).toEqual({ query, code });
  }
});

test('spec D20 a cursor works only for its own list', async () => {
  const cursorOf = async (path: string) =>
    (await customer.call(`GET ${path}?limit=1`)).json.pagination.cursor as string;
  await customer.createDomain();
  const { id, hostname } = await customer.createDomain();
  for (const sitemapName of ['a', 'b'])
    await customer.publish({ domain: hostname, sitemapName, urls: entries(1) });

  const cursor = await cursorOf('/api/domains');
  const sitemaps = `/api/domains/${id}/sitemaps`;
  const foreign: [Customer, string, string][] = [
    [other, '/api/domains', cursor],
    [customer, sitemaps, cursor],
    [customer, '/api/domains', await cursorOf(sitemaps)],
  ];
  for (const [by, path, wrong] of foreign) {
    const { status, json } = await by.call(`GET ${path}?cursor=${wrong}`);
    expect({ path, status, code: json.error?.code }).toEqual({ path, status: 400, code: 'BAD_REQUEST' });
  }
});

test('spec D29 deleting a missing sitemap is refused', async () => {
  const { id, hostname } = await customer.createDomain();
  await customer.publish({ domain: hostname, urls: entries(1) });
  for (const name of ['index', 'nothing', 'a.b', '%2e%2e', 'constructor', '__proto__', '%F0%9F%97%BA']) {
    const { status, json } = await customer.call(`DELETE /api/domains/${id}/sitemaps/${name}`);
    expect({ name, status, code: json.error.code }).toEqual({ name, status: 404, code: 'NOT_FOUND' });
  }
});

test.each([
  'GET /api/domains/ID',
  'DELETE /api/domains/ID',
  'POST /api/domains/ID/verify',
  'GET /api/domains/ID/sitemaps',
  'DELETE /api/domains/ID/sitemaps/default',
  'GET /api/domains/ID/sitemaps/default/generations',
  'POST /api/domains/ID/sitemaps/default/rollback',
  'GET /api/domains/ID/uploads',
])("spec D19 %s: 403 for another account's domain, 404 for an unknown one", async (route) => {
  const { status, json } = await customer.call(route.replace('ID', owned.id));
  expect({ status, code: json.error.code }).toEqual({ status: 403, code: 'FORBIDDEN' });
  const unknown = [
    'domain_0000000000000000000000',
    'domain_',
    owned.id.toLowerCase(),
    "'",
    '%00',
    '%F0%9F%97%BA',
  ];
  for (const id of unknown) {
    const answer = await customer.call(route.replace('ID', id));
    const { status, code } = { status: answer.status, code: answer.json.error.code };
    expect({ id, status, code }).toEqual({ id, status: 404, code: 'NOT_FOUND' });
  }
  // The owner's domain is unchanged.
  expect(await fetchLocs(waypost, owned.hostname, '/sitemap.xml')).toHaveLength(1);
});

test('4.4 a deleted domain is gone with its sitemaps, and its hostname is free', async () => {
  const { id, hostname } = await customer.verifiedDomain();
  await customer.publish({ domain: hostname, urls: entries(1) });
  await customer.publish({ domain: hostname, sitemapName: 'blog', urls: entries(1) });
  expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(1);

  const { status, json } = await customer.call(`DELETE /api/domains/${id}`);
  expect(status).toBe(200);
  const message = expect.stringMatching(/./);
  expect(json).toEqual({ success: true, data: { id, hostname, deleted: true, message } });
  for (const path of ['/sitemap.xml', '/sitemap-blog.xml', '/sitemap-index.xml', '/robots.txt']) {
    await isGone(waypost, hostname, path);
  }
  for (const route of [
    `GET /api/domains/${id}`,
    `GET /api/domains/${id}/sitemaps`,
    `DELETE /api/domains/${id}/sitemaps/blog`,
    `POST /api/domains/${id}/verify`,
    `DELETE /api/domains/${id}`,
  ]) {
    const gone = await customer.call(route);
    expect({ route, status: gone.status }).toEqual({ route, status: 404 });
  }
  expect((await customer.upload({ domain: hostname, urls: entries(1) })).status).toBe(404);

  const theirs = await newcomer.verifiedDomain(hostname);
  expect(theirs.id).not.toBe(id);
  // The former owner's sitemap does not come back.
  expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(404);
});

test('4.4 a domain can be deleted while its certificate is made', async () => {
  const deletions = Array.from({ length: 30 }, async () => {
    const { id } = await customer.createDomain();
    await customer.call(`POST /api/domains/${id}/verify`);
    return (await customer.call(`DELETE /api/domains/${id}`)).status;
  });
  expect(new Set(await Promise.all(deletions))).toEqual(new Set([200]));
});

test('spec D20 the cursors show each domain once, also while domains are added and deleted', async () => {
  const seen: string[] = [];
  let query = 'limit=20';
  for (;;) {
    const { data, pagination } = (await other.call(`GET /api/domains?${query}`)).json;
    seen.push(...idsOf(data));
    if (!pagination.hasMore) break;
    query = `limit=20&cursor=${pagination.cursor}`;
    await other.createDomain();
    // The cursor points at the domain that was shown last.
    await other.call(`DELETE /api/domains/${seen.at(-1)}`);
  }
  expect(seen).toEqual(otherIds);
});
