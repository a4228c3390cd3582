/** Loads: lists and existing sitemaps are fetched from other hosts, seen through the API and hosting alone. */
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { BUCKET, sendError, startBucketHost } from '../support/bucket-host.ts';
import { SOON } from '../support/soon.ts';
import { indexOf, type SourceHost, sitemapOf, startSourceHost } from '../support/source-host.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer, type Domain } from './support/customer.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const hosts: SourceHost[] = [];
afterAll(async () => {
  for (const host of hosts) await host[Symbol.asyncDispose]();
});

/** Loads take seconds, and each look at one costs processor time here, in the API and in Postgres. */
const PATIENTLY = { ...SOON, interval: 250 };

const PAGE = 'https://www.example.com';
const LOADS = 'POST /api/sitemap/load';

async function newcomer() {
  const host = await startSourceHost();
  hosts.push(host);
  const customer = await createCustomer(waypost);
  const domain = await customer.verifiedDomain();
  const ask = async (sources: readonly string[], members: object = {}) => {
    const { status, json } = await customer.call(LOADS, {
      body: {
        domain: domain.hostname,
        sources: sources.map((path) => (path.startsWith('/') ? host.origin + path : path)),
        ...members,
      },
    });
    expect({ status, json }).toMatchObject({ status: 202 });
    const { uploadId, statusUrl } = json.data as { uploadId: string; statusUrl: string };
    expect(statusUrl).toBe(`/api/uploads/${uploadId}`);
    return uploadId;
  };
  const attempt = async (id: string) => (await customer.call(`GET /api/uploads/${id}`)).json.data;
  const ended = (id: string) =>
    vi.waitFor(async () => {
      const found = await attempt(id);
      expect(found.outcome).not.toBe('running');
      return found;
    }, PATIENTLY);
  const load = async (sources: readonly string[], members: object = {}) => ended(await ask(sources, members));
  return { customer, domain, host, ask, attempt, ended, load };
}

async function served({ hostname }: Domain, path = '/sitemap.xml'): Promise<string> {
  const { status, body } = await fetchFile(waypost, hostname, path);
  expect(status).toBe(200);
  return String(body);
}

const locsIn = (xml: string) => [...xml.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, loc]) => loc!);
const servedLocs = (domain: Domain, locs: readonly string[], path?: string) =>
  vi.waitFor(async () => expect(locsIn(await served(domain, path))).toEqual(locs), SOON);

test('robots.txt leads to indexes, these to sitemaps, and all of their entries become one sitemap', async () => {
  const { host, domain, load, customer } = await newcomer();
  const { origin, objects, requests } = host;
  objects.set(
    '/robots.txt',
    `User-agent: *\nDisallow: /x\nSitemap: ${origin}/index.xml\nsitemap:/news.xml # new\n`,
  );
  objects.set(
    '/index.xml',
    indexOf(`${origin}/1.xml`, `${origin}/2.xml.gz`, `${origin}/nested.xml`, `${origin}/9.xml`),
  );
  objects.set('/1.xml', sitemapOf(`<loc>${PAGE}/1</loc><lastmod>2026-01-15</lastmod>`));
  objects.set('/2.xml.gz', gzipSync(sitemapOf(`${PAGE}/2a`, `${PAGE}/2b`)));
  objects.set(
    '/nested.xml',
    indexOf(`${origin}/3.xml`, `${origin}/index.xml`, `${origin}/4.xml`, `${origin}/1.xml`),
  );
  objects.set('/3.xml', sitemapOf(`${PAGE}/3`));
  objects.set('/4.xml', sitemapOf(`${PAGE}/4`));
  objects.set('/9.xml', sitemapOf(`${PAGE}/9`));
  objects.set('/news.xml', sitemapOf(`${PAGE}/news`));
  const ended = await load(['/robots.txt']);
  expect(ended).toMatchObject({
    outcome: 'published',
    form: 'xml',
    urlCount: 7,
    generation: 1,
    load: { objects: { total: 6, done: 6, skipped: 0 }, retries: 0, current: null, nextTryAt: null },
  });
  const order = ['1', '2a', '2b', '3', '4', '9', 'news'].map((name) => `${PAGE}/${name}`);
  await servedLocs(domain, order);
  expect(await served(domain)).toContain('<lastmod>2026-01-15</lastmod>');
  expect(requests.filter((path) => path === '/1.xml')).toHaveLength(1);
  const list = await customer.call(`GET /api/domains/${domain.id}/uploads`);
  expect(list.json.data).toMatchObject([{ id: ended.id, outcome: 'published' }]);
});

test('lists in several forms are read in their order, and the same again changes nothing', async () => {
  const { host, domain, load } = await newcomer();
  host.objects.set('/a.csv', `loc,priority\n${PAGE}/csv,0.5\n`);
  host.objects.set('/b.txt', `${PAGE}/text\n`);
  host.objects.set('/c', `{"loc":"${PAGE}/lines"}\n`);
  host.objects.set('/d.json', JSON.stringify({ urls: [{ loc: `${PAGE}/json` }] }));
  host.objects.set('/e.csv.gz', gzipSync(''));
  const columnData = [{ name: 'loc', data: [`${PAGE}/parquet`], type: 'STRING' as const }];
  host.objects.set('/f', Buffer.from(parquetWriteBuffer({ columnData })));
  const sources = ['/b.txt', '/a.csv', '/c', '/d.json', '/e.csv.gz', '/f'];
  const first = await load(sources, { sitemapName: 'lists' });
  expect(first).toMatchObject({ outcome: 'published', sitemapName: 'lists', generation: 1 });
  expect(first.load.bytes.done).toBeGreaterThanOrEqual(first.load.bytes.total);
  const order = ['text', 'csv', 'lines', 'json', 'parquet'].map((name) => `${PAGE}/${name}`);
  await servedLocs(domain, order, '/sitemap-lists.xml');
  expect(await load(sources, { sitemapName: 'lists' })).toMatchObject({
    outcome: 'unchanged',
    generation: 1,
  });
});

test('parameters of a dialect are those of an upload', async () => {
  const { host, domain, load, customer } = await newcomer();
  host.objects.set('/a', `Address;Status\n${PAGE}/ok;200\n${PAGE}/gone;404\n`);
  const dialect = { columns: 'loc:Address', where: 'Status:200' };
  const refused = await customer.call(LOADS, {
    body: { domain: domain.hostname, sources: [`${host.origin}/a`], ...dialect },
  });
  expect(refused).toMatchObject({ status: 422, json: { error: { details: { field: 'form' } } } });
  expect(await load(['/a'], { form: 'csv', ...dialect })).toMatchObject({
    outcome: 'published',
    urlCount: 1,
  });
  await servedLocs(domain, [`${PAGE}/ok`]);
});

describe('a source that cannot be read fails the load, which names it', () => {
  test.each<[string, (host: SourceHost) => void, string | RegExp]>([
    ['a source that is not there', () => {}, '/x answers 404'],
    [
      'a page of HTML',
      ({ objects }) => objects.set('/x', '<!DOCTYPE html><html><body>'),
      '/x is a page of HTML',
    ],
    [
      'a child that is not there',
      ({ objects, origin }) => objects.set('/x', indexOf(`${origin}/child`)),
      '/child answers 404',
    ],
    [
      'a child of another domain',
      ({ objects }) => objects.set('/x', indexOf('https://www.example.org/a')),
      'name www.example.org in allowHosts',
    ],
    [
      'a child in the network of the service',
      ({ objects }) => objects.set('/x', indexOf('http://127.0.0.3.nip.invalid/')),
      'of another domain',
    ],
    [
      'an index that is no XML',
      ({ objects }) => objects.set('/x', '<sitemapindex><sitemap>&no;'),
      'is not well-formed XML',
    ],
    ['an empty index', ({ objects }) => objects.set('/x', indexOf()), 'lists no sitemap'],
    [
      'an index that lists only itself',
      ({ objects, origin }) => objects.set('/x', indexOf(`${origin}/x`)),
      '/x leads to no entries',
    ],
    [
      'a refusal',
      ({ behaviours }) => behaviours.set('/x', (_, response) => response.writeHead(403).end()),
      '/x answers 403',
    ],
    [
      'an endless redirect',
      ({ behaviours }) =>
        behaviours.set('/x', (_, response) => response.writeHead(302, { Location: '/x' }).end()),
      'more than 3 redirects',
    ],
    [
      'a redirect into the network',
      ({ behaviours }) =>
        behaviours.set('/x', (_, response) =>
          response.writeHead(302, { Location: 'http://169.254.169.254/' }).end(),
        ),
      '169.254.169.254 is asked by https: only',
    ],
    [
      'a damaged gzip',
      ({ objects }) => objects.set('/x', gzipSync(sitemapOf(`${PAGE}/a`)).subarray(0, 60)),
      /gzip compression is damaged or cut short/,
    ],
    [
      'a bomb',
      ({ objects }) => objects.set('/x', gzipSync(`${PAGE}/${'a'.repeat(3_000_000)}\n`)),
      /200 to 1|at most/,
    ],
    ['an invalid entry', ({ objects }) => objects.set('/x', sitemapOf('ftp://no')), /\/x: /],
  ])('%s', async (_, prepare, message) => {
    const { host, domain, load } = await newcomer();
    prepare(host);
    const ended = await load(['/x']);
    expect(ended).toMatchObject({
      outcome: 'refused',
      generation: null,
      message: expect.stringMatching(message),
    });
    expect((await fetchFile(waypost, domain.hostname, '/sitemap.xml')).status).toBe(404);
  });
});

test('with onMissing "skip", what is missing is left out and counted', async () => {
  const { host, domain, load } = await newcomer();
  const { objects, origin } = host;
  objects.set('/i.xml', indexOf(`${origin}/a.xml`, `${origin}/gone.xml`, `${origin}/page`));
  objects.set('/a.xml', sitemapOf(`${PAGE}/a`));
  objects.set('/page', '<html lang="en">');
  const ended = await load(['/missing', '/i.xml'], { onMissing: 'skip' });
  expect(ended).toMatchObject({ outcome: 'published', load: { objects: { total: 4, done: 1, skipped: 3 } } });
  await servedLocs(domain, [`${PAGE}/a`]);
});

test('a list that is refused has the violations of an upload', async () => {
  const { host, load } = await newcomer();
  host.objects.set('/a.ndjson', `{"loc":"${PAGE}/a"}\n{"loc":"/b"}\n`);
  expect(await load(['/a.ndjson'])).toMatchObject({
    outcome: 'refused',
    code: 'VALIDATION_ERROR',
    errorCount: 1,
    errors: [{ line: 2, field: 'loc' }],
  });
  expect(await load(['/a.ndjson'], { onInvalid: 'skip', maxRejected: 1 })).toMatchObject({
    outcome: 'published',
    rejected: 1,
    urlCount: 1,
  });
});

test('a broken connection goes on where it was, if the object is still the same', async () => {
  const { host, domain, load } = await newcomer();
  const lines = Array.from({ length: 20_000 }, (_, i) => `${PAGE}/${i}\n`).join('');
  host.objects.set('/a.txt', lines);
  let breaks = 0;
  host.behaviours.set('/a.txt', (request, response) => {
    if (breaks++ < 2) {
      response.writeHead(200, { 'Content-Length': lines.length, ETag: '"1"' });
      return void response.write(lines.slice(0, 100_000), () => response.destroy());
    }
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    expect(request.headers['if-match']).toBe('"1"');
    const range = `bytes ${from}-${lines.length - 1}/${lines.length}`;
    response.writeHead(206, { ETag: '"1"', 'Content-Range': range }).end(lines.slice(from));
  });
  // The first answer is only looked at.
  const ended = await load(['/a.txt']);
  expect(ended).toMatchObject({ outcome: 'published', urlCount: 20_000 });
  expect(ended.load.retries).toBeGreaterThan(0);
  await servedLocs(domain, lines.trimEnd().split('\n'));
});

test('an object that changes while it is read is read again, and refused if it changes again', async () => {
  const { host, load } = await newcomer();
  let version = 0;
  host.behaviours.set('/a.txt', (request, response) => {
    version += 1;
    if (request.headers['if-match'] !== undefined) return void response.writeHead(412).end();
    const body = `${PAGE}/${version}\n`;
    response.writeHead(200, { ETag: `"${version}"`, 'Content-Length': body.length }).end(body);
  });
  expect(await load(['/a.txt'])).toMatchObject({ outcome: 'published' });
  host.behaviours.set('/b.txt', (request, response) => {
    version += 1;
    if (request.headers['if-match'] !== undefined) return void response.writeHead(412).end();
    const head = { ETag: `"${version}"`, 'Content-Length': 1_000_000 };
    response.writeHead(200, head).write(`${PAGE}/b\n`.repeat(1000), () => response.destroy());
  });
  expect(await load(['/b.txt'])).toMatchObject({
    outcome: 'refused',
    code: 'CONFLICT',
    message: expect.stringContaining('/b.txt changed while it was read'),
  });
});

test('a host in trouble is asked again, and the progress says when', async () => {
  const { host, ask, attempt, ended } = await newcomer();
  let answers = 0;
  host.objects.set('/a.txt', `${PAGE}/a\n`);
  host.behaviours.set('/a.txt', (_, response) => {
    if (++answers === 3) host.behaviours.delete('/a.txt');
    response.writeHead(503, { 'Retry-After': '4' }).end();
  });
  const id = await ask(['/a.txt']);
  await vi.waitFor(async () => {
    const { outcome, endedAt, load } = await attempt(id);
    expect({ outcome, endedAt }).toEqual({ outcome: 'running', endedAt: null });
    expect(load).toMatchObject({ objects: { total: null }, nextTryAt: expect.stringMatching(/Z$/) });
  }, SOON);
  expect(await ended(id)).toMatchObject({ outcome: 'published', load: { retries: 3 } });
});

test('a load can be cancelled, and an account has two at once', async () => {
  const { host, domain, customer, ask, attempt, ended } = await newcomer();
  const open: (() => void)[] = [];
  for (const path of ['/a.txt', '/b.txt']) {
    host.behaviours.set(path, (_, response) => {
      response.writeHead(200, { 'Content-Length': 1_000_000 });
      response.write(`${PAGE}/a\n`.repeat(1000));
      open.push(() => response.destroy());
    });
  }
  const [first, second] = [await ask(['/a.txt']), await ask(['/b.txt'])];
  const third = await customer.call(LOADS, {
    body: { domain: domain.hostname, sources: [`${host.origin}/c`] },
  });
  expect(third).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
  const running = await customer.call(`GET /api/domains/${domain.id}/uploads`);
  expect(running.json.data).toMatchObject([
    { id: second, outcome: 'running' },
    { id: first, outcome: 'running' },
  ]);
  for (let i = 0; i < 2; i++) {
    const canceled = await customer.call(`DELETE /api/uploads/${first}`);
    expect(canceled.json.data).toEqual({ uploadId: first, status: 'canceled' });
  }
  expect(await attempt(first)).toMatchObject({ outcome: 'canceled', generation: null });
  host.objects.set('/c.txt', `${PAGE}/c\n`);
  const fourth = await ask(['/c.txt']);
  expect(await ended(fourth)).toMatchObject({ outcome: 'published' });
  expect(await customer.call(`DELETE /api/uploads/${fourth}`)).toMatchObject({ status: 409 });
  expect(await customer.call('DELETE /api/uploads/upload_0')).toMatchObject({ status: 404 });
  await customer.call(`DELETE /api/uploads/${second}`);
  const stranger = await createCustomer(waypost);
  expect(await stranger.call(`DELETE /api/uploads/${second}`)).toMatchObject({ status: 404 });
  expect(open.length).toBeGreaterThan(0);
});

test('a repeated request with its key is one load', async () => {
  const { host, domain, customer, ended } = await newcomer();
  host.objects.set('/a.txt', `${PAGE}/a\n`);
  const request = {
    body: { domain: domain.hostname, sources: [`${host.origin}/a.txt`] },
    headers: { 'Idempotency-Key': 'once' },
  };
  const first = await customer.call(LOADS, request);
  expect((await customer.call(LOADS, request)).json).toEqual(first.json);
  expect(await ended(first.json.data.uploadId)).toMatchObject({ outcome: 'published' });
});

test('the guard of the domain holds a load that removes too much', async () => {
  const { host, domain, customer, load } = await newcomer();
  host.objects.set('/a.txt', Array.from({ length: 2000 }, (_, i) => `${PAGE}/${i}\n`).join(''));
  await load(['/a.txt']);
  await customer.call(`PATCH /api/domains/${domain.id}`, { body: { guard: { maxRemovedPercent: 20 } } });
  host.objects.set('/a.txt', `${PAGE}/0\n`);
  const held = await load(['/a.txt']);
  expect(held).toMatchObject({ outcome: 'held', generation: null });
  const published = await customer.call(`POST /api/uploads/${held.id}/publish`, { body: { force: true } });
  expect(published).toMatchObject({ status: 200, json: { data: { generation: 2, urlCount: 1 } } });
  expect(await load(['/a.txt'], { ifGeneration: 1, force: true })).toMatchObject({
    outcome: 'refused',
    code: 'CONFLICT',
  });
});

test('a bucket is read by a connection, whose keys nobody sees again', async () => {
  const { customer, domain, load } = await newcomer();
  await using bucket = await startBucketHost();
  for (const n of [1, 2]) bucket.objects.set(`urls/${n}.csv.gz`, gzipSync(`url\n${PAGE}/${n}\n`));
  bucket.objects.set('urls/_SUCCESS', '');
  const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'never-seen-again' };
  const settings = { kind: 's3', endpoint: bucket.endpoint, region: 'us-east-1', buckets: [BUCKET] };
  const answers = [
    await customer.call('PUT /api/connections/lake', { body: { ...settings, ...keys } }),
    await customer.call('GET /api/connections'),
    await customer.call('PUT /api/connections/other', {
      body: { ...settings, ...keys, secretAccessKey: 'never-seen-again ' },
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 422]);
  expect(answers[1]!.json.data).toEqual([
    { name: 'lake', ...settings, usable: true, changedAt: expect.stringMatching(/Z$/) },
  ]);
  const asked = { connection: 'lake', form: 'csv', columns: 'loc:url', ifChanged: true };
  const source = `s3://${BUCKET}/urls/*`;
  const published = await load([source], asked);
  expect(published).toMatchObject({
    outcome: 'published',
    urlCount: 2,
    load: { objects: { total: 2, done: 2 } },
  });
  await servedLocs(domain, [`${PAGE}/1`, `${PAGE}/2`]);
  bucket.requests.length = 0;
  expect(await load([source], asked)).toMatchObject({ outcome: 'unchanged', generation: 1 });
  expect(bucket.requests).toEqual(['LIST urls/']);
  bucket.behave = (_, response) => {
    sendError(response, 403, 'AccessDenied');
    return true;
  };
  const refused = await load([source], asked);
  expect(refused.message).toContain('answers 403 AccessDenied: the key of the connection may not do this');
  expect(JSON.stringify([answers, published, refused])).not.toMatch(/AKID|never-seen/);
  const deleted = await customer.call('DELETE /api/connections/lake');
  expect(deleted.json.data).toEqual({ name: 'lake', deleted: true });
  expect(await customer.call('DELETE /api/connections/lake')).toMatchObject({ status: 404 });
});

describe('requests that are refused at once', () => {
  test.each<[string, object, string]>([
    ['no sources', {}, 'sources'],
    ['an empty list', { sources: [] }, 'sources'],
    ['a bucket without a connection', { sources: ['s3://bucket/a'] }, 'connection'],
    ['a bucket without a key', { sources: ['s3://bucket/'], connection: 'lake' }, 'sources'],
    ['an unknown connection', { sources: ['s3://bucket/a'], connection: 'lake' }, 'connection'],
    ['a connection for the web', { sources: [`${PAGE}/`], connection: 'lake' }, 'connection'],
    ['another scheme', { sources: ['file:///etc/passwd'] }, 'sources'],
    ['a password', { sources: ['https://a:b@www.example.com/'] }, 'sources'],
    ['no address', { sources: ['sitemap.xml'] }, 'sources'],
    ['an unknown form', { sources: [`${PAGE}/`], form: 'orc' }, 'form'],
    ['an unknown member', { sources: [`${PAGE}/`], source: 'x' }, 'source'],
    ['a parameter without meaning', { sources: [`${PAGE}/`], form: 'xml', columns: 'loc:a' }, 'columns'],
  ])('%s', async (_, members, field) => {
    const { customer, domain } = await newcomer();
    const { status, json } = await customer.call(LOADS, { body: { domain: domain.hostname, ...members } });
    expect({ status, field: json.error.details.field }).toEqual({ status: 422, field });
  });
});
