import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange } from './exchange.ts';
import { etagOf, LAST_MODIFIED_HTTP, publishSite, uploadIndexXml } from './hosted-site.ts';
import { HOSTNAME, type RunningHosting, startHosting } from './start-hosting.ts';

const XML = '<urlset>the only file</urlset>';
const ETAG = etagOf(XML);
const PARTS = ['<urlset>1 of 2</urlset>', '<urlset>2 of 2</urlset>'];

let hosting: RunningHosting;
beforeAll(async () => {
  hosting = await startHosting();
  await publishSite(hosting.storage, {
    sitemaps: [
      { uploadId: 'upload_one', files: [XML] },
      { uploadId: 'upload_news', name: 'news', files: PARTS },
      { uploadId: 'upload_proto', name: '__proto__', files: ['<urlset>proto</urlset>'] },
    ],
  });
  await publishSite(hosting.storage, { hostname: 'empty.example.com', index: null });
});
afterAll(() => hosting[Symbol.asyncDispose]());

describe('a whole answer, byte for byte', () => {
  const common = 'X-Robots-Tag: noindex\nX-Content-Type-Options: nosniff';
  const cache = 'Cache-Control: public, max-age=60, stale-if-error=600';

  test('a file as identity, for a client that names no encoding', async () => {
    const { head, body } = await hosting.get('/sitemap.xml');
    expect(head).toBe(
      `HTTP/1.1 200 OK\n${common}\nETag: "${ETAG}"\n${cache}\nVary: Accept-Encoding\n` +
        `Content-Type: application/xml; charset=utf-8\nLast-Modified: ${LAST_MODIFIED_HTTP}\n` +
        `Accept-Ranges: bytes\nContent-Length: ${XML.length}\nDate: *\nConnection: close`,
    );
    expect(body.toString()).toBe(XML);
  });

  test('a file as gzip', async () => {
    const { head, body } = await hosting.get('/sitemap.xml', 'Accept-Encoding: gzip, deflate, br');
    expect(head).toBe(
      `HTTP/1.1 200 OK\n${common}\nETag: "${ETAG}-gz"\n${cache}\nVary: Accept-Encoding\n` +
        `Content-Type: application/xml; charset=utf-8\nContent-Encoding: gzip\n` +
        `Last-Modified: ${LAST_MODIFIED_HTTP}\nAccept-Ranges: bytes\nContent-Length: ${body.length}\n` +
        `Date: *\nConnection: close`,
    );
    expect(gunzipSync(body).toString()).toBe(XML);
  });

  test('its .gz alias has the same bytes without Content-Encoding, for any Accept-Encoding', async () => {
    const gzip = await hosting.get('/sitemap.xml', 'Accept-Encoding: gzip');
    const { head, body } = await hosting.get('/sitemap.xml.gz', 'Accept-Encoding: identity, gzip;q=0');
    expect(head).toBe(
      `HTTP/1.1 200 OK\n${common}\nETag: "${ETAG}-gz"\n${cache}\nContent-Type: application/gzip\n` +
        `Last-Modified: ${LAST_MODIFIED_HTTP}\nAccept-Ranges: bytes\nContent-Length: ${body.length}\n` +
        `Date: *\nConnection: close`,
    );
    expect(body).toEqual(gzip.body);
  });

  test('a 304 repeats the headers that identify the file and no others', async () => {
    const { head, body } = await hosting.get('/sitemap.xml', `If-None-Match: "${ETAG}"`);
    expect(head).toBe(
      `HTTP/1.1 304 Not Modified\n${common}\nETag: "${ETAG}"\n${cache}\nVary: Accept-Encoding\n` +
        `Date: *\nConnection: close`,
    );
    expect(body.length).toBe(0);
  });

  test('robots.txt allows everything and names the index', async () => {
    const { headers, body } = await hosting.get('/robots.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body.toString()).toBe(
      `User-agent: *\nAllow: /\n\nSitemap: https://${HOSTNAME}/sitemap-index.xml\n`,
    );
    const again = await hosting.get('/robots.txt', `If-None-Match: ${headers.etag}`);
    expect(again.status).toBe(304);
  });

  test.each([
    ['GET /unknown HTTP/1.1', 404, 'Not Found', '', 'Not found.\n'],
    ['POST /sitemap.xml HTTP/1.1', 405, 'Method Not Allowed', 'Allow: GET, HEAD\n', 'Method not allowed.\n'],
  ])('%s gets a constant short answer', async (line, status, reason, own, text) => {
    const { head, body } = await exchange(
      hosting.port,
      `${line}\r\nHost: ${HOSTNAME}\r\nConnection: close\r\n\r\n`,
    );
    expect(head).toBe(
      `HTTP/1.1 ${status} ${reason}\n${common}\nContent-Type: text/plain; charset=utf-8\n` +
        `Content-Length: ${text.length}\nCache-Control: no-store\n${own}Date: *\nConnection: close`,
    );
    expect(body.toString()).toBe(text);
  });
});

describe('the file of a path', () => {
  test.each([
    ['/sitemap.xml', XML],
    ['/sitemap.xml?any=query', XML],
    [`http://${HOSTNAME}/sitemap.xml`, XML],
    ['/sitemap-news.xml', uploadIndexXml('upload_news')],
    ['/sitemap-news.1.xml', PARTS[0]],
    ['/sitemap-news.2.xml', PARTS[1]],
    ['/sitemap-__proto__.xml', '<urlset>proto</urlset>'],
    ['/sitemap-index.xml', '<sitemapindex/>'],
  ])('%s', async (path, xml) => {
    const { status, body } = await hosting.get(path);
    expect(status).toBe(200);
    expect(body.toString()).toBe(xml);
    const alias = await hosting.get(path.replace('.xml', '.xml.gz'));
    expect(gunzipSync(alias.body).toString()).toBe(xml);
  });

  test.each([
    '/',
    '/sitemap',
    '/Sitemap.xml',
    '//sitemap.xml',
    '/sitemap.xml/',
    '/./sitemap.xml',
    '/sitemap%2Exml',
    '/sitemap.1.xml',
    '/sitemap-news.0.xml',
    '/sitemap-news.3.xml',
    '/sitemap-news.01.xml',
    '/sitemap-none.xml',
    '/sitemap-constructor.xml',
    '/sitemap-index.1.xml',
    '/sitemap.xml.gz.gz',
    '/robots.txt.gz',
    '/site.json',
    '/../sites/maps.example.com/site.json',
    '/healthz/',
  ])('%s is 404', async (path) => {
    expect((await hosting.get(path)).status).toBe(404);
  });

  test('a site without sitemaps has no index, but a robots.txt', async () => {
    const ask = (path: string) =>
      exchange(hosting.port, `GET ${path} HTTP/1.1\r\nHost: empty.example.com\r\nConnection: close\r\n\r\n`);
    expect((await ask('/sitemap-index.xml')).status).toBe(404);
    expect((await ask('/robots.txt')).status).toBe(200);
  });
});

describe('the site of a Host', () => {
  test.each([
    ['maps.example.com', 200],
    ['MAPS.Example.COM', 200],
    ['maps.example.com.', 200],
    ['maps.example.com:8080', 200],
    ['maps.example.com.:443', 200],
    ['maps.example.com:', 200],
    ['maps.example.com..', 404],
    ['other.example.com', 404],
    ['com', 404],
    ['127.0.0.1', 404],
    ['[::1]:80', 404],
    ['maps_example.com', 404],
    ['maps.example.com:65536', 400],
    ['maps.example.com/', 400],
    ['user@maps.example.com', 400],
    ['maps.example.com, other.example.com', 400],
    ['', 400],
  ])('%s → %i', async (host, status) => {
    const answer = await exchange(
      hosting.port,
      `GET /sitemap.xml HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(status);
  });

  test('/healthz is answered on every host and without a host', async () => {
    for (const lines of ['Host: 10.0.0.7:8080', `Host: ${HOSTNAME}`, 'Host: hosting']) {
      const { status, body } = await exchange(
        hosting.port,
        `GET /healthz HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`,
      );
      expect([status, body.toString()]).toEqual([200, 'ok']);
    }
    expect((await exchange(hosting.port, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200);
  });
});
