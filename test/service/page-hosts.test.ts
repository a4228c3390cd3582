/** Spec D53: the page hosts of a domain over HTTP. page-hosts-told.proofs.test.ts follows one. */
import { expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { createCustomer } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const [customer, other] = [await createCustomer(waypost), await createCustomer(waypost)];

test('spec D53 a domain without sitemaps has no page hosts', async () => {
  const { id } = await customer.verifiedDomain();
  const { status, json } = await customer.call(`GET /api/domains/${id}/page-hosts`);
  expect(status).toBe(200);
  expect(json).toEqual({ success: true, data: [], pagination: { hasMore: false } });
});

test('spec D53 a check on demand is accepted once a minute', async () => {
  const { id, hostname } = await customer.verifiedDomain();
  const { warnings } = await customer.publish({ domain: hostname, urls: entries(1) });
  expect(warnings).toBeUndefined();
  const accepted = await customer.call(`POST /api/domains/${id}/page-hosts/check`);
  expect(accepted.status).toBe(202);
  expect(accepted.json.data).toEqual({ pageHosts: expect.any(Number), message: expect.stringContaining(id) });
  const refused = await customer.call(`POST /api/domains/${id}/page-hosts/check`);
  expect(refused).toMatchObject({ status: 429, json: { error: { code: 'RATE_LIMIT_EXCEEDED' } } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
});

test('spec D53 a host is no fault any more when the only sitemap with its pages is deleted', async () => {
  const { id, hostname } = await customer.verifiedDomain();
  const faults = async () => (await customer.call(`GET /api/needs?domain=${id}`)).json.data.needs;
  await customer.publish({ domain: hostname, sitemapName: 'old', urls: [{ loc: 'https://10.1.2.3/' }] });
  await vi.waitFor(async () => expect(await faults()).toMatchObject([{ kind: 'robotsUnreadable' }]), SOON);
  expect((await customer.call(`DELETE /api/domains/${id}/sitemaps/old`)).status).toBe(200);
  await vi.waitFor(async () => expect(await faults()).toEqual([]), SOON);
});

test.each(['GET /api/domains/:id/page-hosts', 'POST /api/domains/:id/page-hosts/check'])(
  'spec D19 and D16 %s is only for the owner, and has no parameters',
  async (route) => {
    const { id } = await customer.verifiedDomain();
    const own = route.replace(':id', id);
    expect((await other.call(own)).status).toBe(403);
    expect((await customer.call(route.replace(':id', 'domain_unknown'))).status).toBe(404);
    expect(await customer.call(`${own}?limit=1`)).toMatchObject({
      status: 422,
      json: { error: { details: { field: 'limit' } } },
    });
    const put = await customer.call(own.replace(/^\w+/, 'PUT'));
    expect(put.status).toBe(405);
  },
);
