/** Hosting (spec 1, spec D27; docs/FORMAT.md, "How files are served"): what a crawler gets. */
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { fetchFile, fetchXml } from './support/crawler.ts';
import { createCustomer, uniqueHostname } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);
const { hostname } = await customer.verifiedDomain();
const sizeLimit = 'gsc-optimized';
await customer.publish({ domain: hostname, sizeLimit, urls: entries(1500) });
await customer.publish({ domain: hostname, sitemapName: 'blog', urls: entries(10) });

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetchFile(waypost, hostname, path, { headers, method });
const gzip = { 'Accept-Encoding': 'gzip' };

describe.each(['/sitemap.xml', '/sitemap.2.xml', '/sitemap-blog.xml', '/sitemap-index.xml'])('%s', (path) => {
  test('is XML, with its validators', async () => {
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/xml; charset=utf-8',
      'content-length': String(body.length),
      vary: 'Accept-Encoding',
      etag: expect.stringMatching(/^"[^"]+"$/),
      'last-modified': expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/),
    });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(body.toString()).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>/);
  });

  test('is the same in gzip, under another entity tag', async () => {
    const [plain, packed] = [await get(path), await get(path, gzip)];
    expect(packed.headers).toMatchObject({
      'content-type': 'application/xml; charset=utf-8',
      'content-encoding': 'gzip',
      'content-length': String(packed.body.length),
      vary: 'Accept-Encoding',
    });
    expect(gunzipSync(packed.body)).toEqual(plain.body);
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
  });

  test('answers HEAD as GET, without the body', async () => {
    for (const headers of [{}, gzip]) {
      const [whole, bare] = [await get(path, headers), await get(path, headers, 'HEAD')];
      expect(bare.status).toBe(200);
      expect(bare.body).toHaveLength(0);
      const { date: _1, ...wanted } = whole.headers;
      const { date: _2, ...given } = bare.headers;
      expect(given).toEqual(wanted);
    }
  });

  test('is not sent again to a client that has it', async () => {
    for (const encoding of [{}, gzip]) {
      const { headers } = await get(path, encoding);
      const etag = headers.etag ?? '';
      const since = headers['last-modified'] ?? '';
      for (const condition of [
        { 'If-None-Match': etag },
        { 'If-None-Match': `"x", W/${etag}` },
        { 'If-None-Match': '*' },
      ]) {
        const answer = await get(path, { ...encoding, ...condition } as Record<string, string>);
        expect(answer).toMatchObject({ status: 304, headers: { etag } });
        expect(answer.body).toHaveLength(0);
      }
      for (const condition of [
        { 'If-None-Match': '"x"' },
        { 'If-Modified-Since': 'Thu, 01 Jan 2015 00:00:00 GMT' },
        { 'If-None-Match': '"x"', 'If-Modified-Since': since },
      ]) {
        expect((await get(path, { ...encoding, ...condition } as Record<string, string>)).status).toBe(200);
      }
    }
  });

  test('has an alias with the gzip bytes as a file', async () => {
    const { status, headers, body } = await get(`${path}.gz`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/gzip');
    expect(headers).not.toHaveProperty('content-encoding');
    expect(gunzipSync(body)).toEqual((await get(path)).body);
  });

  test('is served in ranges', async () => {
    const whole = (await get(path)).body;
    const { status, headers, body } = await get(path, { Range: 'bytes=10-29' });
    expect(status).toBe(206);
    expect(headers['content-range']).toBe(`bytes 10-29/${whole.length}`);
    expect(body).toEqual(whole.subarray(10, 30));
    expect((await get(path, { Range: 'bytes=99999999-' })).status).toBe(416);
  });
});

test('format 26 nothing is compressed without Accept-Encoding or for a client that refuses gzip', async () => {
  for (const headers of [{}, { 'Accept-Encoding': 'identity' }, { 'Accept-Encoding': 'gzip;q=0, br' }]) {
    const answer = await get('/sitemap.2.xml', headers as Record<string, string>);
    expect(answer.headers).not.toHaveProperty('content-encoding');
  }
  expect((await get('/sitemap.2.xml', { 'Accept-Encoding': 'br, gzip' })).headers['content-encoding']).toBe(
    'gzip',
  );
});

test('format 27 robots.txt allows everything and names the index', async () => {
  const { status, headers, body } = await get('/robots.txt');
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/plain/);
  const lines = body.toString().trim().split(/\n+/);
  expect(lines).toEqual(['User-agent: *', 'Allow: /', `Sitemap: http://${hostname}/sitemap-index.xml`]);
});

test('every file names a stylesheet for browsers, which is served beside it', async () => {
  for (const path of ['/sitemap.xml', '/sitemap.2.xml', '/sitemap-blog.xml', '/sitemap-index.xml']) {
    const xml = await fetchXml(waypost, hostname, path);
    const [, href] = /^<\?xml-stylesheet type="text\/css" href="([^"]+)"\?>$/m.exec(xml) ?? [];
    expect(href).toBe('/sitemap.css');
  }
  const [plain, packed] = [await get('/sitemap.css'), await get('/sitemap.css', gzip)];
  for (const { status, headers } of [plain, packed]) {
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=86400',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      vary: 'Accept-Encoding',
    });
    expect(headers).not.toHaveProperty('content-security-policy');
    const etag = headers.etag ?? '';
    const encoding = packed.headers.etag === etag ? gzip : {};
    expect((await get('/sitemap.css', { ...encoding, 'If-None-Match': etag })).status).toBe(304);
    expect((await get('/sitemap.css', { ...encoding, 'If-None-Match': '"x"' }, 'HEAD')).status).toBe(200);
  }
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(packed.body)).toEqual(plain.body);
  const range = await get('/sitemap.css', { Range: 'bytes=0-9' });
  expect([range.status, range.body]).toEqual([206, plain.body.subarray(0, 10)]);
  expect((await fetchFile(waypost, 'unknown.example.com', '/sitemap.css')).status).toBe(404);
});

test.each([
  '/',
  '/index.html',
  '/sitemap',
  '/sitemap.xml/',
  '//sitemap.xml',
  '/Sitemap.xml',
  '/sitemap.xml.br',
  '/sitemap.css.gz',
  '/sitemap-blog.css',
  '/sitemap.3.xml',
  '/sitemap.0.xml',
  '/sitemap.1',
  '/sitemap-blog.1.xml',
  '/sitemap-none.xml',
  '/sitemap-.xml',
  '/sitemap-default.xml',
  '/sitemap%2exml',
  '/site.json',
  '/listing.json',
  '/uploads/',
  '/%2e%2e/%2e%2e/demo.json',
  '/.well-known/acme-challenge/x',
  '/api/domains',
])('format 27 404 with a short body for the unknown path %s', async (path) => {
  for (const method of ['GET', 'HEAD']) {
    const { status, headers, body } = await get(path, {}, method);
    expect({ path, method, status }).toEqual({ path, method, status: 404 });
    expect(headers).not.toHaveProperty('location');
    expect(body.length).toBeLessThan(100);
  }
});

test.each([
  'unknown.example.com',
  '127.0.0.1',
  'localhost',
  `x.${hostname}`,
  hostname.slice(1),
  '../demo.json',
  '..',
  '%2e%2e',
  'xn--a',
])('format 27 404 for the unknown host %s', async (host) => {
  const { status, body } = await fetchFile(waypost, host, '/sitemap.xml');
  expect([400, 404]).toContain(status);
  expect(body.length).toBeLessThan(100);
});

test('RFC 9110 a host is found in any case, with a trailing dot and with a port', async () => {
  for (const host of [hostname.toUpperCase(), `${hostname}.`, `${hostname}:8080`]) {
    expect((await fetchFile(waypost, host, '/sitemap.xml')).status).toBe(200);
  }
});

test('RFC 9110 other methods get 405 with Allow', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    const { status, headers } = await get('/sitemap.xml', {}, method);
    expect({ method, status, allow: headers.allow }).toEqual({ method, status: 405, allow: 'GET, HEAD' });
  }
});

test('spec D27 an unverified domain is not served, even with a sitemap', async () => {
  const domain = await customer.createDomain(uniqueHostname());
  await customer.publish({ domain: domain.hostname, urls: entries(1) });
  for (const path of ['/sitemap.xml', '/sitemap-index.xml', '/robots.txt']) {
    expect((await fetchFile(waypost, domain.hostname, path)).status).toBe(404);
  }
});

test('spec D8 a reader gets a whole sitemap at any moment of its replacement', async () => {
  const { hostname: busy } = await customer.verifiedDomain();
  const counts = [100, 2000];
  await customer.publish({ domain: busy, urls: entries(100) });
  let isOver = false;
  const read = async () => {
    const seen = new Set<number>();
    while (!isOver) {
      const xml = String((await fetchFile(waypost, busy, '/sitemap.xml')).body);
      expect(xml.endsWith('</urlset>') || xml.endsWith('</urlset>\n')).toBe(true);
      seen.add(xml.split('<url>').length - 1);
    }
    return seen;
  };
  const readers = Promise.all([read(), read()]);
  for (let n = 1; n <= 10; n++)
    await customer.publish({ domain: busy, force: true, urls: entries(counts[n % 2]!) });
  await expect
    .poll(async () => (await fetchXml(waypost, busy, '/sitemap.xml')).split('<url>').length - 1)
    .toBe(100);
  isOver = true;
  for (const seen of await readers) expect(counts).toEqual(expect.arrayContaining([...seen]));
});
