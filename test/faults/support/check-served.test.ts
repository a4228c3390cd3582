/** The judge of the crash sweeps must see through every lie. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { checkApi, checkHosting } from './check-served.ts';
import { ABSENT, History, type SentUpload, urlOf } from './history.ts';

const HOSTNAME = 'maps.example.com';
const SITEMAPS = 'http://www.sitemaps.org/schemas/sitemap/0.9';
/** The files that hosting serves, by path, and the list that the API answers. */
const files = new Map<string, string>();
let listed: object[] = [];

const server = createServer((request, response) => {
  const isApi = request.url === '/api/domains/d/sitemaps';
  const body = isApi ? JSON.stringify({ success: true, data: listed }) : files.get(request.url ?? '');
  response.statusCode = body === undefined || !(isApi || request.headers.host === HOSTNAME) ? 404 : 200;
  response.setHeader('Connection', 'close').end(body);
}).listen(0, '127.0.0.1');
afterAll(() => void server.close());
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const list = (root: string, entry: string, locs: readonly string[]) =>
  `<${root} xmlns="${SITEMAPS}">${locs.map((loc) => `<${entry}><loc>${loc}</loc></${entry}>`).join('')}</${root}>`;
const serveUrls = (path: string, upload: SentUpload, from: number, to: number) =>
  void files.set(
    path,
    list(
      'urlset',
      'url',
      Array.from({ length: to - from }, (_, at) => urlOf(upload, from + at)),
    ),
  );
const serveIndex = (path: string, paths: readonly string[]) =>
  void files.set(
    path,
    list(
      'sitemapindex',
      'sitemap',
      paths.map((part) => `https://${HOSTNAME}${part}`),
    ),
  );

const PARTS = ['/sitemap.1.xml', '/sitemap.2.xml'];
let history: History;
let former: SentUpload;
let live: SentUpload;
let blog: SentUpload;

/** An honest state: the unnamed sitemap of two files replaced one of one file. There is a second sitemap. */
beforeEach(() => {
  history = new History();
  former = history.begin('', 3);
  history.settle('', former);
  live = history.begin('', 5);
  blog = history.begin('blog', 2);
  history.settle('blog', blog);
  files.clear();
  serveUrls('/sitemap.1.xml', live, 0, 3);
  serveUrls('/sitemap.2.xml', live, 3, 5);
  serveIndex('/sitemap.xml', PARTS);
  serveUrls('/sitemap-blog.xml', blog, 0, 2);
  serveIndex('/sitemap-index.xml', [...PARTS, '/sitemap-blog.xml']);
  listed = [
    { name: 'default', urlCount: 5, files: 2 },
    { name: 'blog', urlCount: 2, files: 1 },
  ];
});

const verdict = () =>
  checkHosting(url, HOSTNAME, history)
    .then((served) => checkApi({ apiUrl: url, key: 'k', domainId: 'd' }, served))
    .then(
      () => 'honest',
      (error: Error) => error.message,
    );

test('the truth is accepted, with the new upload, with the former one and with none', async () => {
  expect(await verdict()).toBe('honest');
  serveUrls('/sitemap.xml', former, 0, 3);
  serveIndex('/sitemap-index.xml', ['/sitemap.xml', '/sitemap-blog.xml']);
  listed[0] = { name: 'default', urlCount: 3, files: 1 };
  expect(await verdict()).toBe('honest');
  files.clear();
  listed = [];
  history.settle('', ABSENT);
  history.settle('blog', ABSENT);
  expect(await verdict()).toBe('honest');
});

test.each<[string, () => void, RegExp]>([
  [
    'a part of the former upload',
    () => serveUrls(PARTS[0]!, former, 0, 3),
    /3 URLs u\d+\/0–.*2 URLs u\d+\/3/,
  ],
  ['one URL of another upload', () => serveUrls(PARTS[1]!, blog, 3, 5), /should be upload/],
  ['a URL too few', () => serveUrls(PARTS[1]!, live, 3, 4), /should be upload/],
  ['a URL twice', () => serveUrls(PARTS[1]!, live, 2, 5), /should be upload/],
  ['a part too many in the index', () => serveIndex('/sitemap.xml', [...PARTS, PARTS[1]!]), /should be/],
  ['parts in another order', () => serveIndex('/sitemap.xml', PARTS.toReversed()), /should be/],
  ['a part that is missing', () => void files.delete(PARTS[1]!), /is no list of URLs/],
  [
    'an upload that was never sent',
    () => serveUrls('/sitemap-blog.xml', { ...blog, number: 999 }, 0, 2),
    /u999/,
  ],
  ['a sitemap that is lost', () => void files.delete('/sitemap-blog.xml'), /but is absent/],
  ['a sitemap that should be gone', () => history.settle('blog', ABSENT), /should be absent/],
  ['an empty list', () => serveUrls('/sitemap-blog.xml', blog, 0, 0), /an empty list/],
  [
    'the former upload after a promise',
    () => history.settle('', former),
    /should be upload \d+ of 3 URLs, but/,
  ],
  [
    'a domain index of other files',
    () => serveIndex('/sitemap-index.xml', PARTS),
    /the domain's index names/,
  ],
  ['no domain index', () => void files.delete('/sitemap-index.xml'), /the domain's index names/],
  ['XML that is cut', () => void files.set(PARTS[0]!, '<urlset><url>'), /unclosed/i],
  ['a wrong count in the API', () => Object.assign(listed[1]!, { urlCount: 3 }), /the API says/],
  ['a wrong number of files in the API', () => Object.assign(listed[0]!, { files: 1 }), /the API says/],
  ['a sitemap of which the API is silent', () => void listed.pop(), /the API says/],
  [
    'one that only the API knows',
    () => void listed.push({ name: 'x', urlCount: 1, files: 1 }),
    /the API says/,
  ],
])('%s is found', async (_, lie, complaint) => {
  lie();
  expect(await verdict()).toMatch(complaint);
});
