/** Finding a URL, seen through the API alone. */
import { expect, test } from 'vitest';
import { createCustomer } from './support/customer.ts';
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
  // Of another account, nothing is found, and its domain is none.
  expect((await find({ url }, stranger)).json.data).toMatchObject({ found: false, near: [] });
  expect((await find({ url, domain: domain.hostname }, stranger)).status).toBe(404);
});

test('what is asked must be a URL, and a sitemap that is there', async () => {
  expect((await find({})).json.error.details).toMatchObject({ field: 'url' });
  expect((await find({ url: 'shoes' })).json.error.details).toMatchObject({ field: 'url' });
  const url = 'https://www.example.com/';
  expect((await find({ url, sitemapName: 'no such' })).status).toBe(422);
  expect((await find({ url, sitemapName: 'none' })).status).toBe(404);
});
