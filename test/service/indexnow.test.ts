/** The whole journey of changed URLs, from an upload to a search engine, over HTTP. */
import { afterAll, expect, test, vi } from 'vitest';
import { startIndexNowEndpoint } from '../support/indexnow-endpoint.ts';
import { startPageHost } from '../support/page-host.ts';
import { SOON } from '../support/soon.ts';
import { createCustomer } from './support/customer.ts';
import { useOwnWaypost } from './support/use-waypost.ts';

const endpoint = await startIndexNowEndpoint();
const pages = await startPageHost('127.0.0.2');
afterAll(async () => {
  await endpoint[Symbol.asyncDispose]();
  await pages[Symbol.asyncDispose]();
});
const waypost = await useOwnWaypost({
  INDEXNOW_ENDPOINT: endpoint.url,
  OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
});

const entry = (n: number, lastmod = '2026-01-15') => ({ loc: `${pages.origin}/${n}`, lastmod });

test('spec D51: the URLs that an upload has added, changed or removed are submitted, and no others', async () => {
  const customer = await createCustomer(waypost);
  const { id, hostname } = await customer.verifiedDomain();
  await customer.call(`PATCH /api/domains/${id}`, { body: { indexNow: { enabled: true } } });
  const verify = () =>
    customer.call(`POST /api/domains/${id}/indexnow/verify`, { body: { host: pages.origin } });
  const { key } = (await verify()).json.data;
  pages.files.set(`/${key}.txt`, key);
  expect((await verify()).json.data).toMatchObject({ verified: true, problem: null });

  const upload = async (...urls: object[]) => (await customer.publish({ domain: hostname, urls })).indexNow;
  expect(await upload(entry(1), entry(2), entry(3))).toEqual({ status: 'skipped', urlsSubmitted: 0 });
  // 1 stays, 2 changes, 3 goes, 4 comes.
  expect(await upload(entry(4), entry(2, '2026-01-16'), entry(1))).toEqual({
    ...{ status: 'pending', urlsSubmitted: 0 },
  });
  await vi.waitFor(() => {
    expect(endpoint.accepted().sort()).toEqual([2, 3, 4].map((n) => `${pages.origin}/${n}`));
  }, SOON);
  expect(endpoint.faults).toEqual([]);
  await vi.waitFor(async () => {
    const { hosts } = (await customer.call(`GET /api/domains/${id}/indexnow`)).json.data;
    expect(hosts).toMatchObject([{ host: pages.host, queued: 0, sentToday: 3, lastStatus: 200 }]);
  }, SOON);
});
