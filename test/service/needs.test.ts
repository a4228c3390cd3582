/** The needs of an account, as a client sees them. */
import { expect, test } from 'vitest';
import { type Customer, createCustomer } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const [customer, other] = [await createCustomer(waypost), await createCustomer(waypost)];
/** Returns the needs without those about robots.txt: the hosts of the pages do not exist. */
async function needsOf(who: Customer, query = '') {
  const { needs, counts } = (await who.call(`GET /api/needs${query}`)).json.data;
  const isOther = ({ kind }: { kind: string }) => !kind.startsWith('robots');
  return { needs: needs.filter(isOther), counts: counts.filter(isOther) };
}
const NOTHING = { needs: [], counts: [] };

test('a held upload needs somebody until it is published, and three refused uploads until one is taken', async () => {
  const { hostname, id } = await customer.verifiedDomain();
  const upload = (sitemapName: string, body: object) =>
    customer.call('POST /api/sitemap/generate', { body: { domain: hostname, sitemapName, ...body } });
  expect(await needsOf(customer)).toEqual(NOTHING);
  await customer.publish({ domain: hostname, sitemapName: 'sale', urls: entries(5000) });
  const held = await upload('sale', { urls: entries(100) });
  const { uploadId } = held.json.error.details;
  for (let n = 0; n < 3; n++) {
    expect((await upload('catalogue', { urls: [{ loc: 'nonsense' }] })).status).toBe(422);
  }
  await expect.poll(async () => (await needsOf(customer)).needs.length).toBe(2);
  const { needs, counts } = await needsOf(customer, `?domain=${hostname.toUpperCase()}`);
  const domain = { id, hostname };
  expect(needs).toMatchObject([
    { kind: 'heldUpload', domain, sitemapName: 'sale', uploadId, severity: 'waiting', target: 'upload' },
    { kind: 'uploadsRefused', domain, sitemapName: 'catalogue', severity: 'bad', deadline: null },
  ]);
  expect(needs[0].title).toBe('“sale” would lose 4,900 of its 5,000 URLs');
  expect(counts).toEqual([
    { kind: 'heldUpload', count: 1 },
    { kind: 'uploadsRefused', count: 1 },
  ]);
  expect((await needsOf(customer, `?domain=${id}`)).needs).toEqual(needs);
  expect(await needsOf(other)).toEqual(NOTHING);
  expect((await other.call(`GET /api/needs?domain=${id}`)).status).toBe(403);
  expect((await other.call(`GET /api/needs?domain=${hostname}`)).json.error.code).toBe('NOT_FOUND');
  expect((await other.call('GET /api/needs?domain=a&domain=b')).json.error.details.field).toBe('domain');

  await customer.call(`POST /api/uploads/${uploadId}/publish`, { body: { force: true } });
  await upload('catalogue', { urls: entries(1) });
  await expect.poll(() => needsOf(customer)).toEqual(NOTHING);
});

test('a sitemap says how often it is uploaded, until it is deleted', async () => {
  const { hostname, id } = await customer.verifiedDomain();
  await customer.publish({ domain: hostname, urls: entries(1) });
  const path = `/api/domains/${id}/sitemaps/default`;
  const change = (expectEveryHours: unknown, who = customer) =>
    who.call(`PATCH ${path}`, { body: { expectEveryHours } });
  const listed = async () => (await customer.call(`GET /api/domains/${id}/sitemaps`)).json.data[0];
  expect((await customer.call(`GET ${path}`)).json.data).toEqual(await listed());
  expect((await customer.call(`GET ${path}s`)).status).toBe(404);
  expect((await other.call(`GET ${path}`)).status).toBe(403);
  expect(await listed()).toMatchObject({ expectEveryHours: null, freshUntil: null, staleSince: null });
  const { json } = await change(24);
  expect(json.data).toEqual(await listed());
  const inMs = Date.parse(json.data.freshUntil) - Date.now();
  expect(Math.round(inMs / 3_600_000)).toBe(24);
  // The same again moves nothing on.
  expect((await change(24)).json.data.freshUntil).toBe(json.data.freshUntil);
  expect((await change(null)).json.data).toMatchObject({ expectEveryHours: null, freshUntil: null });
  for (const wrong of [0, 8785, 1.5, '24', undefined]) {
    expect((await change(wrong)).json.error.details.field).toBe('expectEveryHours');
  }
  expect((await change(24, other)).status).toBe(403);
  expect((await customer.call(`PATCH ${path}s`, { body: { expectEveryHours: 24 } })).status).toBe(404);
});
