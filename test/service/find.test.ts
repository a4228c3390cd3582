/** Finding a URL, seen through the API alone. */
import { expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { createCustomer } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { storedObjects } from './support/store.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);
const stranger = await createCustomer(waypost);

const find = (query: Record<string, string>, by = customer) =>
  by.call(`GET /api/find?${new URLSearchParams(query)}`);

test('a URL is found with its entry and its file; one that differs a little is near; others are nowhere', async () => {
  const domain = await customer.verifiedDomain();
  const urls = [
    { loc: 'https://www.example.com/shoes', lastmod: '2026-01-15' },
    { loc: 'https://www.example.com/hats/' },
  ];
  await customer.publish({ domain: domain.hostname, sitemapName: 'products', urls });
  const url = 'https://www.example.com/shoes';
  const found = await find({ url });
  expect(found.json.data).toMatchObject({
    url,
    found: true,
    complete: true,
    near: [],
    places: [
      {
        domain: domain.hostname,
        sitemapName: 'products',
        generation: 1,
        file: { n: 1, url: expect.stringContaining('/sitemap-products.xml') },
        entry: `<url><loc>${url}</loc><lastmod>2026-01-15</lastmod></url>`,
      },
    ],
  });
  const near = await find({ url: 'http://www.example.com/hats', domain: domain.hostname });
  expect(near.json.data).toMatchObject({
    found: false,
    places: [],
    near: [{ loc: 'https://www.example.com/hats/', differences: ['scheme', 'trailingSlash'] }],
  });
  expect((await find({ url: 'https://www.example.com/none' })).json.data).toMatchObject({
    found: false,
    near: [],
  });
  // Another account finds nothing, and the domain does not exist for it.
  expect((await find({ url }, stranger)).json.data).toMatchObject({ found: false, near: [] });
  expect((await find({ url, domain: domain.hostname }, stranger)).status).toBe(404);
});

test('a URL in more than 100 files has 100 places, and there are more', async () => {
  const { hostname } = await customer.verifiedDomain();
  const url = 'https://www.example.com/everywhere';
  const publish = (n: number) =>
    customer.publish({ domain: hostname, sitemapName: `list-${n}`, urls: [{ loc: url }] });
  await Promise.all(Array.from({ length: 100 }, (_, n) => publish(n)));
  const shown = async () => {
    const { places, hasMore } = (await find({ url, domain: hostname })).json.data;
    return { places: places.length, hasMore };
  };
  expect(await shown()).toEqual({ places: 100, hasMore: false });
  await publish(100);
  expect(await shown()).toEqual({ places: 100, hasMore: true });
});

test('what is asked must be a URL, and a sitemap that is there', async () => {
  expect((await find({})).json.error.details).toMatchObject({ field: 'url' });
  expect((await find({ url: 'shoes' })).json.error.details).toMatchObject({ field: 'url' });
  const url = 'https://www.example.com/';
  expect((await find({ url, sitemapName: 'no such' })).status).toBe(422);
  expect((await find({ url, sitemapName: 'none' })).status).toBe(404);
});

test('each parameter counts once, and others are not known', async () => {
  const url = 'https://www.example.com/';
  expect((await customer.call(`GET /api/find?url=${url}&url=${url}`)).json.error.details).toMatchObject({
    field: 'url',
  });
  expect((await find({ url, name: 'products' })).status).toBe(422);
  expect((await find({ url, domain: 'unknown.example.com' })).status).toBe(404);
  expect((await customer.call(`POST /api/find?url=${url}`)).status).toBe(405);
});

test('a URL is found as it was uploaded, in letters of any script', async () => {
  const { hostname } = await customer.verifiedDomain();
  const loc = 'https://bücher.example/é?ü';
  await customer.publish({ domain: hostname, urls: [{ loc }] });
  expect((await find({ url: loc, domain: hostname, sitemapName: 'default' })).json.data).toMatchObject({
    url: 'https://xn--bcher-kva.example/%C3%A9?%C3%BC',
    found: true,
    places: [{ sitemapName: 'default' }],
  });
});

test('a large sitemap gets an index, and the answer is the same before and after', async () => {
  const { hostname } = await customer.verifiedDomain();
  const urls = entries(12_000);
  const { uploadId } = await customer.publish({ domain: hostname, urls, sizeLimit: 'balanced' });
  const wanted = { url: 'https://www.example.com/page/11000', domain: hostname };
  // The past is known once the upload is compared. The comparison makes the index, too.
  const withoutPast = async () => {
    const { places, ...found } = (await find(wanted)).json.data;
    return { ...found, places: places.map(({ added: _, ...place }: { added: unknown }) => place) };
  };
  const before = await withoutPast();
  expect(before).toMatchObject({ found: true, places: [{ file: { n: 2 } }], complete: true });
  await vi.waitFor(async () => {
    const keys = await storedObjects(waypost.dataDir, `uploads/${uploadId}/`);
    expect(keys.filter((key) => key.endsWith('.index'))).toHaveLength(1);
  }, SOON);
  expect(await withoutPast()).toEqual(before);
  expect((await find(wanted)).json.data.places[0].added).toMatchObject({ generation: 1, others: 11_999 });
  expect((await find({ ...wanted, url: `${wanted.url}/` })).json.data.near).toMatchObject([
    { loc: wanted.url, differences: ['trailingSlash'] },
  ]);
});
