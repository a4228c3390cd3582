/** The sitemap and the feed of recent changes, seen through the API, hosting and a WebSub hub. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer, type Domain } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { useOwnWaypost } from './support/use-waypost.ts';

/** The pings that the hub got. */
const pings: object[] = [];
const hub = createServer(async (request, response) => {
  pings.push({ path: request.url, ...Object.fromEntries(new URLSearchParams(await text(request))) });
  response.writeHead(204).end();
}).listen(0, '127.0.0.1');
await once(hub, 'listening');
afterAll(() => void hub.close());
const hubUrl = `http://127.0.0.1:${(hub.address() as AddressInfo).port}/publish`;

const waypost = await useOwnWaypost({ WEBSUB_HUB: hubUrl });
const customer = await createCustomer(waypost);

/** Comparisons of a sitemap are 10 seconds apart. */
const COMPARED = { ...SOON, interval: 200 };

const change = ({ id }: Domain, body: object) => customer.call(`PATCH /api/domains/${id}`, { body });
const locsIn = (xml: Buffer) => [...String(xml).matchAll(/<loc>(.*?)<\/loc>/g)].map(([, loc]) => loc);

test('crawlers find what changed first in the index, until it is switched off', async () => {
  const domain = await customer.verifiedDomain();
  const { hostname } = domain;
  const publish = (urls: readonly object[]) =>
    customer.publish({ domain: hostname, sitemapName: 'products', urls });
  await publish(entries(3));
  await vi.waitFor(async () => {
    const { json } = await customer.call(`GET /api/domains/${domain.id}/sitemaps/products/changes`);
    expect(json.data.state).toBe('first');
  }, COMPARED);
  const switched = await change(domain, { recent: { enabled: true, hours: 48 } });
  const none = { urlCount: 0, updatedAt: null, leftOut: [] };
  expect(switched.json.data.recent).toEqual({ enabled: true, hours: 48, ...none });
  expect((await fetchFile(waypost, hostname, '/sitemap-recent.xml')).status).toBe(404);

  await publish([...entries(2), { ...entries(3)[2], priority: 0.3 }, ...entries(5).slice(3)]);
  await vi.waitFor(async () => {
    expect((await fetchFile(waypost, hostname, '/sitemap-recent.xml')).status).toBe(200);
  }, COMPARED);
  const { headers, body } = await fetchFile(waypost, hostname, '/sitemap-recent.xml');
  expect(headers['content-type']).toMatch(/^application\/xml/);
  expect(locsIn(body).sort()).toEqual(
    entries(5)
      .slice(2)
      .map((entry) => (entry as { loc: string }).loc)
      .sort(),
  );
  expect(String(body)).toContain('<priority>0.3</priority>');
  const index = await fetchFile(waypost, hostname, '/sitemap-index.xml');
  expect(locsIn(index.body).map((loc) => new URL(loc!).pathname)).toEqual([
    '/sitemap-recent.xml',
    '/sitemap-products.xml',
  ]);
  const feed = await fetchFile(waypost, hostname, '/changes.atom');
  expect(feed.headers['content-type']).toBe('application/atom+xml; charset=utf-8');
  const self = /<link rel="self" type="application\/atom\+xml" href="(.*?)"\/>/.exec(String(feed.body))?.[1];
  expect(new URL(self!)).toMatchObject({ hostname, pathname: '/changes.atom' });
  expect(String(feed.body)).toContain(`<link rel="hub" href="${hubUrl}"/>`);
  expect(String(feed.body).match(/<entry>/g)).toHaveLength(3);
  await vi.waitFor(() => {
    expect(pings).toEqual([{ path: '/publish', 'hub.mode': 'publish', 'hub.url': self }]);
  }, COMPARED);
  const shown = await customer.call(`GET /api/domains/${domain.id}`);
  expect(shown.json.data.recent).toMatchObject({ enabled: true, hours: 48, urlCount: 3, leftOut: [] });
  expect(shown.json.data.recent.updatedAt).toMatch(/^\d{4}-/);
  // The sitemap of recent changes is in none of these counts.
  expect(shown.json.data).toMatchObject({ urlCount: 5, sitemapCount: 1 });

  expect((await change(domain, { recent: { enabled: false } })).json.data.recent).toEqual({
    ...{ enabled: false, hours: 48 },
    ...none,
  });
  await vi.waitFor(async () => {
    expect((await fetchFile(waypost, hostname, '/sitemap-recent.xml')).status).toBe(404);
    expect((await fetchFile(waypost, hostname, '/changes.atom')).status).toBe(404);
    expect(locsIn((await fetchFile(waypost, hostname, '/sitemap-index.xml')).body)).toHaveLength(1);
  }, COMPARED);
});

test('the name is that of no other sitemap', async () => {
  const domain = await customer.verifiedDomain();
  const upload = () =>
    customer.call('POST /api/sitemap/generate', {
      body: { domain: domain.hostname, sitemapName: 'recent', urls: entries(2) },
    });
  expect((await upload()).status).toBe(200);
  expect(await change(domain, { recent: { enabled: true } })).toMatchObject({
    status: 409,
    json: { error: { code: 'CONFLICT', details: { field: 'recent.enabled' } } },
  });
  await customer.call(`DELETE /api/domains/${domain.id}/sitemaps/recent`);
  expect((await change(domain, { recent: { enabled: true } })).status).toBe(200);
  expect(await upload()).toMatchObject({
    status: 409,
    json: { error: { code: 'CONFLICT', details: { field: 'sitemapName', value: 'recent' } } },
  });
});

test.each([
  [{ recent: true }, 'recent'],
  [{ recent: { enabled: 'yes' } }, 'recent.enabled'],
  [{ recent: { hours: 0 } }, 'recent.hours'],
  [{ recent: { hours: 169 } }, 'recent.hours'],
  [{ recent: { hours: 1.5 } }, 'recent.hours'],
  [{ recent: { days: 3 } }, 'recent.days'],
])('%j is refused', async (body, field) => {
  const domain = await customer.createDomain();
  expect(await change(domain, body)).toMatchObject({
    status: 422,
    json: { error: { code: 'VALIDATION_ERROR', details: { field } } },
  });
});
