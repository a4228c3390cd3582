/** "Which URLs changed": what an upload changed, seen through the API alone. */

import { hash } from 'node:crypto';
import { createConnection } from 'node:net';
import { parse } from 'csv-parse/sync';
import { expect, test as sequentialTest, vi } from 'vitest';
import { once, SOON } from '../support/soon.ts';
import { type Customer, createCustomer, type Domain } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { send } from './support/send.ts';
import { removeStored, storedObjects } from './support/store.ts';
import { useOwnWaypost } from './support/use-waypost.ts';
import { runCli } from './support/waypost.ts';

/** Most of the time is spent waiting for comparisons. */
const test = sequentialTest.concurrent;

const isExpected = (line: string) => line.includes('changes-1.ndjson.gz is missing');
const waypost = await useOwnWaypost({}, isExpected);
const [customer, other] = [await createCustomer(waypost), await createCustomer(waypost)];

const changesPath = ({ id }: Pick<Domain, 'id'>, name = 'default') =>
  `/api/domains/${id}/sitemaps/${name}/changes`;

/** An account has 1,000 requests a minute, and on a busy machine a comparison takes minutes. */
const PATIENTLY = { ...SOON, interval: 250 };

/** The answer once the comparison has ended. */
function comparedBy(who: Customer, domain: Domain, name?: string) {
  return vi.waitFor(async () => {
    const { status, json } = await who.call(`GET ${changesPath(domain, name)}`);
    expect(status).toBe(200);
    expect(json.data.state).not.toBe('pending');
    return json.data;
  }, PATIENTLY);
}

async function linesOf(domain: Domain, name?: string) {
  const headers = { 'X-API-Key': customer.key, Accept: 'application/x-ndjson' };
  const answer = await send(waypost.apiUrl + changesPath(domain, name), { headers });
  const text = answer.body.toString();
  return {
    ...answer,
    lines:
      text === ''
        ? []
        : text
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line)),
  };
}

test('spec D49: a first upload has no changes, the next one has counts and samples, and all lines', async () => {
  const domain = await customer.verifiedDomain();
  await customer.publish({ domain: domain.hostname, urls: entries(3000), sizeLimit: 'gsc-optimized' });
  const first = await comparedBy(customer, domain);
  expect(first).toEqual({
    uploadId: expect.stringMatching(/^upload_/),
    formerUploadId: null,
    state: 'first',
    ...{ added: null, changed: null, removed: null },
    comparedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    samples: { added: [], changed: [], removed: [] },
  });
  const refused = await linesOf(domain);
  expect(refused.status).toBe(409);
  expect(refused.lines[0].error).toMatchObject({ code: 'CONFLICT', details: { state: 'first' } });

  const all = entries(3300).slice(150).reverse() as { loc: string; priority?: number }[];
  all[7] = { ...all[7]!, priority: 1 };
  all[3000] = { ...all[3000]!, priority: 1 };
  await customer.publish({ domain: domain.hostname, urls: all });
  const compared = await comparedBy(customer, domain);
  expect(compared).toMatchObject({ formerUploadId: first.uploadId, state: 'compared' });
  expect(compared).toMatchObject({ added: 300, changed: 1, removed: 150 });
  expect(compared.samples.added).toHaveLength(100);
  expect(compared.samples.changed).toEqual([all[3000]!.loc]);

  const { status, headers, lines } = await linesOf(domain);
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/x-ndjson');
  const of = (change: string) =>
    lines
      .filter((line) => line.change === change)
      .map(({ loc }) => loc)
      .sort();
  expect(of('added')).toEqual(
    entries(300, (i) => ({ loc: `https://www.example.com/page/${3000 + i}` }))
      .map((e) => (e as { loc: string }).loc)
      .sort(),
  );
  expect(of('changed')).toEqual([all[3000]!.loc]);
  expect(of('removed')).toHaveLength(150);
  expect(lines).toHaveLength(451);
});

test('spec D49: sitemaps of one domain are compared apart, and the same upload again by force changes nothing', async () => {
  const domain = await customer.verifiedDomain();
  const named = { domain: domain.hostname, sitemapName: 'blog' };
  await customer.publish({ domain: domain.hostname, urls: entries(50) });
  await customer.publish({ ...named, urls: entries(20) });
  await comparedBy(customer, domain, 'blog');
  await customer.publish({ ...named, urls: entries(20), force: true });
  const same = await comparedBy(customer, domain, 'blog');
  expect(same).toMatchObject({ state: 'compared', added: 0, changed: 0, removed: 0 });
  expect(await linesOf(domain, 'blog')).toMatchObject({ status: 200, lines: [] });
  expect(await comparedBy(customer, domain)).toMatchObject({ state: 'first' });
});

test('spec D49: unknown sitemaps and domains of others are refused, as are unknown parameters and other methods', async () => {
  const domain = await customer.verifiedDomain();
  await customer.publish({ domain: domain.hostname, urls: entries(2) });
  expect((await customer.call(`GET ${changesPath(domain, 'nothing')}`)).status).toBe(404);
  expect((await customer.call(`GET ${changesPath({ id: 'domain_0' })}`)).status).toBe(404);
  expect((await other.call(`GET ${changesPath(domain)}`)).status).toBe(403);
  expect((await customer.call(`GET ${changesPath(domain)}?against=1`)).status).toBe(422);
  expect((await customer.call(`POST ${changesPath(domain)}`)).status).toBe(405);
  const headers = { 'X-API-Key': customer.key, Accept: 'application/x-ndjson' };
  await comparedBy(customer, domain);
  const head = await send(waypost.apiUrl + changesPath(domain), { method: 'HEAD', headers });
  expect(head.body).toHaveLength(0);
});

test('spec D50: a client that leaves in the middle of a long list holds up nobody', async () => {
  const domain = await customer.verifiedDomain();
  const page = (path: string) => (i: number) => ({
    loc: `https://www.example.com/${path}/${i}/${'x'.repeat(300)}`,
  });
  await customer.publish({ domain: domain.hostname, urls: entries(24_000, page('a')) });
  await comparedBy(customer, domain);
  await customer.publish({ domain: domain.hostname, urls: entries(24_000, page('b')) });
  expect(await comparedBy(customer, domain)).toMatchObject({ added: 24_000, changed: 0, removed: 24_000 });
  const { port } = new URL(waypost.apiUrl);
  // More than an account may read at once: the places of those who left are free again.
  for (let i = 0; i < 8; i++) {
    await vi.waitFor(async () => {
      const socket = createConnection(Number(port), '127.0.0.1');
      socket.write(
        `GET ${changesPath(domain)} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${customer.key}\r\n` +
          'Accept: application/x-ndjson\r\n\r\n',
      );
      const [beginning] = await once(socket, 'data');
      socket.destroy();
      await once(socket, 'close');
      expect(String(beginning)).toContain('HTTP/1.1 200');
    }, PATIENTLY);
  }
  await vi.waitFor(async () => expect((await linesOf(domain)).lines).toHaveLength(48_000), SOON);
});

test('spec D50: a lost list is an error of ours, and the doctor names it', async () => {
  const domain = await customer.verifiedDomain();
  await customer.publish({ domain: domain.hostname, urls: entries(10) });
  await comparedBy(customer, domain);
  // Small lists have no object.
  const bulky = entries(900, (i) => ({ loc: `https://www.example.com/${hash('sha256', String(i))}` }));
  await customer.publish({ domain: domain.hostname, urls: bulky });
  const { uploadId } = await comparedBy(customer, domain);
  expect((await linesOf(domain)).lines).toHaveLength(910);
  expect(await storedObjects(waypost.dataDir, `uploads/${uploadId}/`)).toContain('changes-1.ndjson.gz');
  await removeStored(waypost.dataDir, `uploads/${uploadId}/changes-1.ndjson.gz`);
  expect((await linesOf(domain)).status).toBe(500);
  const ill = await runCli(waypost.settings, 'doctor', domain.hostname);
  expect(ill.stdout).toContain(`uploads/${uploadId}/changes-1.ndjson.gz`);
  expect(ill.code).toBe(1);
});

test('any two kept generations can be compared, by counts and as a list', async () => {
  const domain = await customer.verifiedDomain();
  const urls = entries(12);
  for (const list of [urls.slice(0, 8), urls.slice(2, 9), urls.slice(3, 12)]) {
    await customer.publish({ domain: domain.hostname, urls: list });
  }
  const compare = async (query: string) => customer.call(`GET ${changesPath(domain)}?${query}`);
  const counts = async (query: string) => {
    const { added, changed, removed, state } = (await compare(query)).json.data;
    return { added, changed, removed, state };
  };
  expect(await counts('from=1')).toEqual({ added: 4, changed: 0, removed: 3, state: 'compared' });
  expect(await counts('from=1&to=2')).toEqual({ added: 1, changed: 0, removed: 2, state: 'compared' });
  expect(await counts('from=3&to=1')).toEqual({ added: 3, changed: 0, removed: 4, state: 'compared' });
  expect(await counts('from=2&to=2')).toEqual({ added: 0, changed: 0, removed: 0, state: 'compared' });
  const headers = { 'X-API-Key': customer.key, Accept: 'application/x-ndjson' };
  const { body } = await send(`${waypost.apiUrl}${changesPath(domain)}?from=1&to=2`, { headers });
  const lines = String(body)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ change, loc }) => `${change} ${loc}`).sort()).toEqual([
    `added ${entryLoc(8)}`,
    `removed ${entryLoc(0)}`,
    `removed ${entryLoc(1)}`,
  ]);
  const refused = await Promise.all(['from=9', 'to=1', 'from=0', 'from=x'].map(compare));
  expect(refused.map(({ status }) => status)).toEqual([404, 422, 422, 422]);
});

test('what changed in each entry is told, in lines, in CSV and of some in JSON; CSV has a row for each change', async () => {
  const domain = await customer.verifiedDomain();
  const alternate = (hreflang: string) => ({ hreflang, href: entryLoc(1) });
  const image = (n: number) => ({ loc: `https://www.example.com/${n}.jpg` });
  const [thumbnail_loc, content_loc] = [image(3).loc, 'https://www.example.com/v.mp4'];
  const video = (title: string) => ({ thumbnail_loc, title, description: title, content_loc });
  const publication = { name: 'The Example Times', language: 'en' };
  const news = { publication, publication_date: '2026-01-15', title: 'Companies merge' };
  const former = [
    { loc: entryLoc(0), lastmod: '2026-01-12', priority: 0.5, images: [image(1), image(2)] },
    { loc: entryLoc(1), images: [image(1)], hreflang: [alternate('en')] },
    { loc: entryLoc(2), lastmod: '2026-01-01' },
    { loc: `${entryLoc(3)}?a="1"&b`, changefreq: 'daily' },
    ...[5, 6, 7].map((n) => ({ loc: entryLoc(n) })),
    { loc: entryLoc(8), video: video('Grilling'), news },
    { loc: entryLoc(9) },
  ];
  const live = [
    { loc: entryLoc(0), lastmod: '2026-01-15', priority: 0.5, images: [image(1), image(2), image(3)] },
    // Another image, and a language more.
    {
      loc: entryLoc(1),
      images: [image(2)],
      hreflang: ['de', 'en'].map(alternate),
    },
    { loc: `${entryLoc(3)}?a="1"&b` },
    ...[5, 6, 7].map((n) => ({ loc: entryLoc(n) })),
    { loc: entryLoc(4), lastmod: '2026-02-02' },
    // Another video, and no news.
    { loc: entryLoc(8), video: video('Baking') },
    { loc: entryLoc(9), video: video('Grilling'), news },
  ];
  for (const urls of [former, live]) await customer.publish({ domain: domain.hostname, urls });
  const path = `${changesPath(domain)}?from=1&to=2`;
  const json = (await customer.call(`GET ${path}`)).json.data;
  expect(json).toMatchObject({ added: 1, changed: 5, removed: 1 });
  const { encoded, expected } = {
    encoded: `${entryLoc(3)}?a=%221%22&b`,
    expected: new Map<string, object>(),
  };
  expected.set(entryLoc(0), {
    from: { lastmod: '2026-01-12', images: '2' },
    to: { lastmod: '2026-01-15', images: '3' },
  });
  expected.set(entryLoc(1), {
    from: { images: '1', alternates: 'en' },
    to: { images: '1', alternates: 'de en' },
  });
  expected.set(entryLoc(8), { from: { videos: '1', news: '1' }, to: { videos: '1' } });
  expected.set(entryLoc(9), { from: {}, to: { videos: '1', news: '1' } });
  expected.set(encoded, { from: { changefreq: 'daily' }, to: {} });
  type Detail = { change: string; loc: string; from?: Record<string, string>; to?: Record<string, string> };
  const byLoc = (details: Detail[]) => new Map(details.map(({ loc, from, to }) => [loc, { from, to }]));
  expect(byLoc(json.details)).toEqual(expected);

  const read = async (form: string) => {
    const answer = await send(`${waypost.apiUrl}${path}&form=${form}`, {
      headers: { 'X-API-Key': customer.key },
    });
    expect(answer.status).toBe(200);
    return answer;
  };
  const lines: Detail[] = String((await read('ndjson')).body)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(byLoc(lines.filter(({ change }) => change === 'changed'))).toEqual(expected);
  expect(lines.filter(({ change }) => change !== 'changed')).toEqual(
    expect.arrayContaining([
      { change: 'added', loc: entryLoc(4), to: { lastmod: '2026-02-02' } },
      { change: 'removed', loc: entryLoc(2), from: { lastmod: '2026-01-01' } },
    ]),
  );
  const csv = await read('csv');
  expect(csv.headers['content-disposition']).toContain(`changes-${domain.hostname}-default.csv`);
  const rows: Record<string, string>[] = parse(csv.body, { columns: true, record_delimiter: '\r\n' });
  expect(rows).toHaveLength(json.added + json.changed + json.removed);
  const flat = ({ change, loc, from = {}, to = {} }: Detail) => {
    const sides = Object.entries({ from, to }).flatMap(([side, fields]) =>
      Object.entries(fields).map(([field, value]) => [`${field}_${side}`, value]),
    );
    return { change, loc, ...Object.fromEntries(sides) };
  };
  const filled = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')));
  expect(filled).toEqual(lines.map(flat));
});

const entryLoc = (index: number) => `https://www.example.com/page/${index}`;
