/** Uploads leave each URL in the file that it is in, seen through the API and hosting alone. */
import { hash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer, type Domain } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);

/** They hardly compress: files of few bytes are published in groups, and never placed. */
const long = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ loc: `https://www.example.com/${hash('sha256', String(i))}` }));

const FILES = ['/sitemap.1.xml', '/sitemap.2.xml', '/sitemap.3.xml'];

async function etagsOf({ hostname }: Domain) {
  const answers = await Promise.all(FILES.map((path) => fetchFile(waypost, hostname, path)));
  return answers.map(({ headers }) => headers.etag);
}

test('a shuffled list with a new row changes one file; in order, or as the domain says, it changes all', async () => {
  const domain = await customer.verifiedDomain();
  const members = { domain: domain.hostname, sizeLimit: 'gsc-optimized' };
  const list = long(2500);
  const first = await customer.publish({ ...members, urls: list });
  expect(first).not.toHaveProperty('placement');
  await vi.waitFor(
    async () => expect((await fetchFile(waypost, domain.hostname, FILES[2]!)).status).toBe(200),
    SOON,
  );
  const before = await etagsOf(domain);
  const urls = [{ loc: 'https://www.example.com/new' }, ...list.toReversed()];
  const placed = await customer.publish({ ...members, urls });
  expect(placed).toMatchObject({ placement: 'stable', filesChanged: 1, filesGenerated: 3, urlCount: 2501 });
  await vi.waitFor(async () => expect((await etagsOf(domain))[2]).not.toBe(before[2]), SOON);
  expect((await etagsOf(domain)).slice(0, 2)).toEqual(before.slice(0, 2));
  const { body } = await fetchFile(waypost, domain.hostname, FILES[2]!);
  expect(String(body)).toContain('https://www.example.com/new');

  const inOrder = await customer.publish({ ...members, urls: urls.slice(1), placement: 'order' });
  expect(inOrder).toMatchObject({ placement: 'order', filesChanged: 3 });
  expect(inOrder).not.toHaveProperty('placementReason');
  const changed = await customer.call(`PATCH /api/domains/${domain.id}`, { body: { placement: 'order' } });
  expect(changed.json.data).toMatchObject({ placement: 'order' });
  expect(await customer.publish({ ...members, urls })).toMatchObject({ placement: 'order' });
  const often = urls.map((url, i) => (i % 3 === 0 ? { ...url, priority: 0.3 } : url));
  const many = await customer.publish({ ...members, urls: often, placement: 'stable' });
  expect(many).toMatchObject({ placement: 'order', placementReason: 'many-changes' });
});

test('a placement that is none is refused', async () => {
  const domain = await customer.verifiedDomain();
  const details = { field: 'placement', value: 'random' };
  const error = { code: 'VALIDATION_ERROR', details };
  expect(
    await customer.call(`PATCH /api/domains/${domain.id}`, { body: { placement: 'random' } }),
  ).toMatchObject({ status: 422, json: { error } });
  expect(
    await customer.call('POST /api/sitemap/generate', {
      body: { domain: domain.hostname, placement: 'random', urls: entries(1) },
    }),
  ).toMatchObject({ status: 422, json: { error } });
});
