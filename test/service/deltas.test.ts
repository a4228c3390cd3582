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

test('lines may have another charset than UTF-8, as those of an upload', async () => {
  const domain = await customer.verifiedDomain();
  await customer.publish({ domain: domain.hostname, urls: entries(1) });
  const added = (name: string) => `{"upsert":{"loc":"${PAGE}/${name}/é"}}\n`;
  const send = (charset: string, body: Buffer, query = '') =>
    customer.call(`${DELTA}?domain=${domain.hostname}${query}`, {
      headers: { 'Content-Type': `application/x-ndjson${charset}` },
      body,
    });
  const latin = (name: string) => Buffer.from(added(name), 'latin1');
  expect((await send('', latin('0'))).json.error.message).toContain('charset=windows-1252');
  expect((await send('', latin('1'), '&charset=windows-1252')).status).toBe(200);
  expect((await send('; charset=iso-8859-1', latin('2'))).status).toBe(200);
  expect((await send('', Buffer.from(`\ufeff${added('3')}`, 'utf16le'))).status).toBe(200);
  const locs = [1, 2, 3].map((n) => ({ loc: `${PAGE}/${n}/%C3%A9` }));
  await becomes(domain, '/sitemap.xml', [...(entries(1) as PlainEntry[]), ...locs]);
});

test('a repeated request gets the first answer, and is not done twice', async () => {
  const domain = await customer.verifiedDomain();
  const list = entries(3) as PlainEntry[];
  await customer.publish({ domain: domain.hostname, urls: list });
  const request = {
    body: { domain: domain.hostname, remove: [list[0]!.loc] },
    headers: { 'Idempotency-Key': 'delta-1' },
  };
  const first = await customer.call(DELTA, request);
  await customer.call(DELTA, { body: { domain: domain.hostname, upsert: [list[0]] } });
  const again = await customer.call(DELTA, request);
  expect(again.json).toEqual(first.json);
  expect(again.headers['idempotency-replayed']).toBe('true');
  await becomes(domain, '/sitemap.xml', list);
});

test('a repeated dry run gets the first answer, too', async () => {
  const domain = await customer.verifiedDomain();
  const list = entries(3) as PlainEntry[];
  await customer.publish({ domain: domain.hostname, urls: list });
  const request = {
    body: { domain: domain.hostname, remove: [list[0]!.loc], dryRun: true },
    headers: { 'Idempotency-Key': 'dry-delta-1' },
  };
  const first = await customer.call(DELTA, request);
  expect(first.json.data).toMatchObject({ dryRun: true, removed: 1 });
  const again = await customer.call(DELTA, request);
  expect(again.json).toEqual(first.json);
  expect(again.headers['idempotency-replayed']).toBe('true');
});

test('a sitemap of others, an unknown one, and forms that are none are refused', async () => {
  const domain = await customer.verifiedDomain();
  await customer.publish({ domain: domain.hostname, urls: entries(3) });
  const upsert = entries(1);
  const other = await createCustomer(waypost);
  const refusals = await Promise.all([
    other.call(DELTA, { body: { domain: domain.hostname, upsert } }),
    customer.call(DELTA, { body: { domain: domain.hostname, sitemapName: 'none', upsert } }),
    customer.call(`${DELTA}?domain=${domain.hostname}`, {
      body: 'a',
      headers: { 'Content-Type': 'text/plain' },
    }),
    customer.call(`${DELTA}?columns=loc`, { body: { domain: domain.hostname, upsert } }),
    customer.call(DELTA, { body: { domain: domain.hostname, upsert: [{ loc: 'nowhere' }] } }),
  ]);
  expect(refusals.map(({ status }) => status)).toEqual([404, 404, 400, 422, 422]);
  expect(refusals[4]!.json.error.details).toMatchObject({ field: 'upsert[0].loc' });
});

test('many clients change a row each at once, a rollback takes all back, and attempts list them', async () => {
  const domain = await customer.verifiedDomain();
  const list = entries(40) as PlainEntry[];
  await customer.publish({ domain: domain.hostname, urls: list });
  const answers = await Promise.all(
    list
      .slice(0, 30)
      .map(({ loc }) => customer.call(DELTA, { body: { domain: domain.hostname, remove: [loc] } })),
  );
  expect(answers.map(({ status, json }) => [status, json.data.removed])).toEqual(answers.map(() => [200, 1]));
  await becomes(domain, '/sitemap.xml', list.slice(30));
  const generations = new Set(answers.map(({ json }) => json.data.generation));
  expect(generations.size).toBeLessThan(30);
  const { json } = await customer.call(`GET /api/domains/${domain.id}/uploads?limit=1`);
  expect(json.data[0]).toMatchObject({ outcome: 'published', id: expect.stringMatching(/^delta_/) });
  await customer.call(`POST /api/domains/${domain.id}/sitemaps/default/rollback`, {
    body: { generation: 1 },
  });
  await becomes(domain, '/sitemap.xml', list);
});

test('the changes of a delta are listed at once, and its URLs are found', async () => {
  const domain = await customer.verifiedDomain();
  const list = entries(20) as PlainEntry[];
  await customer.publish({ domain: domain.hostname, urls: list });
  await customer.call(DELTA, {
    body: { domain: domain.hostname, upsert: [{ loc: `${PAGE}/fresh` }], remove: [list[3]!.loc] },
  });
  const { json } = await customer.call(`GET /api/domains/${domain.id}/sitemaps/default/changes`);
  expect(json.data).toMatchObject({ state: 'compared', added: 1, changed: 0, removed: 1 });
  const url = encodeURIComponent(`${PAGE}/fresh`);
  const found = await customer.call(`GET /api/find?domain=${domain.hostname}&url=${url}`);
  expect(JSON.stringify(found.json.data)).toContain(`${PAGE}/fresh`);
});
