/** Deltas: a few URLs of a sitemap change, seen through the API and hosting alone. */
import { hash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer, type Domain } from './support/customer.ts';
import { entries, type PlainEntry } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);

const DELTA = 'POST /api/sitemap/delta';
const PAGE = 'https://www.example.com';

/** They hardly compress, so that files are objects. */
const long = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ loc: `${PAGE}/${hash('sha256', String(i))}` }));

async function servedLocs({ hostname }: Domain, path: string): Promise<string[]> {
  const { status, body } = await fetchFile(waypost, hostname, path);
  expect(status).toBe(200);
  return [...String(body).matchAll(/<loc>(.*?)<\/loc>/g)].map(([, loc]) => loc!);
}

/** Waits until hosting serves these URLs, in any order. */
function becomes(domain: Domain, path: string, urls: readonly { loc: string }[]) {
  const wanted = urls.map(({ loc }) => loc).sort();
  return vi.waitFor(async () => expect((await servedLocs(domain, path)).sort()).toEqual(wanted), SOON);
}

test('a delta adds, changes and removes URLs, and says what became of each', async () => {
  const domain = await customer.verifiedDomain();
  const list = entries(5) as PlainEntry[];
  await customer.publish({ domain: domain.hostname, urls: list });
  const { status, json } = await customer.call(DELTA, {
    body: {
      domain: domain.hostname,
      upsert: [{ loc: `${PAGE}/new` }, { ...list[0], priority: 0.1 }, list[1]],
      remove: [list[2]!.loc, `${PAGE}/never`],
    },
  });
  expect(status).toBe(200);
  expect(json.data).toMatchObject({
    ...{
      domain: domain.hostname,
      generation: 2,
      urlCount: 5,
      filesGenerated: 1,
      filesChanged: 1,
      served: true,
    },
    ...{ added: 1, changed: 1, unchanged: 1, removed: 1, missing: 1 },
    deltaId: expect.stringMatching(/^delta_/),
  });
  await becomes(domain, '/sitemap.xml', [{ loc: `${PAGE}/new` }, ...list.slice(0, 2), ...list.slice(3)]);
  expect(String((await fetchFile(waypost, domain.hostname, '/sitemap.xml')).body)).toContain('<priority>0.1');

  const again = await customer.call(DELTA, {
    body: { domain: domain.hostname, upsert: [{ loc: `${PAGE}/new` }] },
  });
  expect(again.json.data).toMatchObject({ generation: 2, unchanged: 1, added: 0, filesChanged: 0 });
  const { json: history } = await customer.call(`GET /api/domains/${domain.id}/sitemaps/default/generations`);
  expect(history.data).toMatchObject([
    { generation: 2, kind: 'delta' },
    { generation: 1, kind: 'upload' },
  ]);
});

test('in a sitemap of several files, only files with a change change', async () => {
  const domain = await customer.verifiedDomain();
  const urls = long(2500);
  await customer.publish({ domain: domain.hostname, urls, sizeLimit: 'gsc-optimized' });
  const before = await fetchFile(waypost, domain.hostname, '/sitemap.1.xml');
  const lines = [
    { remove: urls[1500]!.loc },
    { upsert: { loc: `${PAGE}/one` } },
    { remove: `${PAGE}/one` },
    { upsert: { loc: `${PAGE}/two`, lastmod: '2026-01-15' } },
  ];
  const { json } = await customer.call(`${DELTA}?domain=${domain.hostname}`, {
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  });
  expect(json.data).toMatchObject({
    ...{ urlCount: 2500, filesGenerated: 3, filesChanged: 2, generation: 2 },
    // The last line of a URL counts.
    ...{ added: 1, changed: 0, unchanged: 0, removed: 1, missing: 1 },
  });
  await becomes(domain, '/sitemap.2.xml', [...urls.slice(1000, 1500), ...urls.slice(1501, 2000)]);
  await becomes(domain, '/sitemap.3.xml', [...urls.slice(2000), { loc: `${PAGE}/two` }]);
  const after = await fetchFile(waypost, domain.hostname, '/sitemap.1.xml');
  expect(after.headers.etag).toBe(before.headers.etag);
  expect(after.headers['last-modified']).toBe(before.headers['last-modified']);
});
