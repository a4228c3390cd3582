import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createCursors } from '../../src/core/web/cursors.ts';
import { sitemapFileRoutes } from '../../src/edges/dashboard/sitemap-file-routes.ts';
import type { SitemapFile, SitemapUrl } from '../../src/edges/dashboard/wire.ts';
import { getOwnDomain } from '../../src/features/domains/own-domain.ts';
import { uploadFileKey } from '../../src/features/sites/site.ts';
import { openUploadViews } from '../../src/features/uploads/open-upload-views.ts';
import { Secret } from '../../src/platform/secret.ts';
import type { ObjectStorage, StoredObject } from '../../src/platform/storage/object-storage.ts';
import { verbsOn } from '../../src/platform/verb.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { bulkyEntries } from '../uploads/batches.ts';
import { createUploadFixture } from '../uploads/upload-fixture.ts';
import { startViews } from './start-routes.ts';

const fixture = await createUploadFixture();
const { database, storage } = fixture;
const log = collectLog();
const cursors = createCursors(new Secret('for tests'));
const publicOrigin = 'https://{hostname}';
const verbs = verbsOn(database, { ownDomain: getOwnDomain });
const start = (from: Pick<ObjectStorage, 'get'> = storage) =>
  startViews((signedIn) => [
    sitemapFileRoutes(
      { ...verbs, uploads: openUploadViews({ database, storage: from }), cursors, log, publicOrigin },
      signedIn,
    ),
  ]);
const { get } = await start();
const account = await addAccount(database);
const NAUGHTY = 'https://example.com/a?b=1&c=<x>"\'%00;--&amp;ümlaut/日本';
/** The URL as files have it. */
const WRITTEN = "https://example.com/a?b=1&c=%3Cx%3E%22'%00;--&amp;%C3%BCmlaut/%E6%97%A5%E6%9C%AC";

async function publish(urls: readonly object[], more = {}) {
  const domain = await addVerifiedDomain(database, account);
  const { uploadId } = await fixture.upload(account, { domain: domain.hostname, urls, ...more });
  return { domain, uploadId, path: `domains/${domain.id}/sitemaps` };
}
const plain = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ loc: `https://example.com/page-${n + 1}` }));
const urlsOf = async (path: string, query: Record<string, string> = {}, from = get): Promise<SitemapUrl[]> =>
  (await from(account, `${path}/urls?${new URLSearchParams({ file: '1', ...query })}`)).json.data;

test('the files of a sitemap, in their order, with their addresses', async () => {
  const { domain, path } = await publish(plain(2500), { sizeLimit: 'gsc-optimized' });
  const files: SitemapFile[] = (await get(account, `${path}/default/files`)).json.data;
  expect(files.map(({ n, url, urlCount }) => [n, url, urlCount])).toEqual([
    [1, `https://${domain.hostname}/sitemap.1.xml`, 1000],
    [2, `https://${domain.hostname}/sitemap.2.xml`, 1000],
    [3, `https://${domain.hostname}/sitemap.3.xml`, 500],
  ]);
  for (const { bytes, gzipBytes, changedAt } of files) {
    expect(gzipBytes).toBeLessThan(bytes);
    expect(changedAt).toBe('2026-01-15T10:00:00Z');
  }
  await fixture.upload(account, { domain: domain.hostname, sitemapName: 'news', urls: plain(3) });
  expect((await get(account, `${path}/news/files`)).json).toMatchObject({
    data: [{ n: 1, url: `https://${domain.hostname}/sitemap-news.xml`, urlCount: 3 }],
    pagination: { hasMore: false },
  });
  await fixture.upload(account, { domain: domain.hostname, urls: plain(2400) });
  expect((await get(account, `${path}/default/files`)).json.data).toMatchObject([
    { n: 1, url: `https://${domain.hostname}/sitemap.xml`, urlCount: 2400 },
  ]);
});

test('files come in pages of a thousand', async () => {
  const { domain, uploadId, path } = await publish(plain(1));
  await database.query(
    `INSERT INTO sitemap_files (upload_id, upload_n, entries, bytes, gzip_bytes, etag, last_modified, domain_id, sitemap_name, n, from_seq)
     SELECT $1, n, 1, 1, 1, 'e', now(), $2, '', n, 1 FROM generate_series(2, 1500) AS n`,
    [uploadId, domain.id],
  );
  const first = (await get(account, `${path}/default/files`)).json;
  expect(first.data.map(({ n }: SitemapFile) => n)).toEqual(Array.from({ length: 1000 }, (_, n) => n + 1));
  const next = `${path}/default/files?cursor=${first.pagination.cursor}`;
  const second = (await get(account, next)).json;
  expect(second.data.map(({ n }: SitemapFile) => n)).toEqual(Array.from({ length: 500 }, (_, n) => n + 1001));
  expect(second.pagination).toEqual({ hasMore: false });
});

test('the URLs of a file, as they were sent', async () => {
  const { path } = await publish([
    { loc: 'https://example.com/plain' },
    {
      ...{ loc: 'https://example.com/full', lastmod: '2026-01-02', changefreq: 'daily', priority: 0.5 },
      images: [
        { loc: 'https://example.com/1.png', caption: '</url><loc>' },
        { loc: 'https://example.com/2.png' },
      ],
      hreflang: ['de', 'ja', 'fr'].map((hreflang) => ({ hreflang, href: `https://example.com/${hreflang}` })),
    },
    { loc: NAUGHTY },
  ]);
  const none = { lastmod: null, changefreq: null, priority: null, images: 0, alternates: 0 };
  expect(await urlsOf(`${path}/default`)).toEqual([
    { loc: 'https://example.com/plain', ...none },
    {
      ...{ loc: 'https://example.com/full', lastmod: '2026-01-02', changefreq: 'daily', priority: '0.5' },
      ...{ images: 2, alternates: 3 },
    },
    { loc: WRITTEN, ...none },
  ]);
});

test.each([
  ['PAGE-17', ['page-17', ...Array.from({ length: 10 }, (_, n) => `page-17${n}`)]],
  ['page-9999', []],
  ['</loc>', []],
  ['.*', []],
  ['2.png', []],
])('the URLs that contain %j', async (search, pages) => {
  const { path } = await publish([
    ...plain(999),
    { loc: 'https://example.com/', images: [{ loc: 'https://example.com/2.png' }] },
  ]);
  const found = await urlsOf(`${path}/default`, { search });
  expect(found.map(({ loc }) => loc)).toEqual(pages.map((page) => `https://example.com/${page}`));
});

test.each(['&c=<x>"\'%00', '&amp;', 'Ümlaut', '日本', '?b=1&', 'a?b=1&c=<x>', '%c3%bc'])(
  'characters that XML escapes are found: %j',
  async (search) => {
    const { path } = await publish([{ loc: NAUGHTY }, { loc: 'https://example.com/amp' }]);
    expect((await urlsOf(`${path}/default`, { search })).map(({ loc }) => loc)).toEqual([WRITTEN]);
  },
);

test('reading ends at the hundredth URL, and the object is closed', async () => {
  // More than is read at once.
  const entries = bulkyEntries(50_000);
  const { path } = await publish(entries);
  const opened: StoredObject[] = [];
  const watched = await start({
    async get(key, range) {
      const object = await storage.get(key, range);
      if (object) opened.push(object);
      return object;
    },
  });
  const found = await urlsOf(`${path}/default`, {}, watched.get);
  expect(found.map(({ loc }) => loc)).toEqual(entries.slice(0, 100).map(({ loc }) => loc));
  await expect.poll(() => opened[0]!.body.destroyed).toBe(true);
  const { loc: last } = entries.at(-1)!;
  const search = last.slice(-20);
  expect((await urlsOf(`${path}/default`, { search }, watched.get)).map(({ loc }) => loc)).toEqual([last]);
});

test('few files are read at once, and accounts take turns', async () => {
  const { path } = await publish(bulkyEntries(1000));
  const gate = Promise.withResolvers<void>();
  let [reading, most] = [0, 0];
  const slow = await start({
    async get(key) {
      most = Math.max(most, ++reading);
      await gate.promise;
      reading--;
      return storage.get(key);
    },
  });
  const answers = Promise.all(
    Array.from({ length: 6 }, () => slow.get(account, `${path}/default/urls?file=1`)),
  );
  await expect.poll(() => reading).toBe(2);
  gate.resolve();
  expect((await answers).map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(most).toBe(2);
});

test('a file that was replaced while it was read, or that the store has lost, has a clear answer', async () => {
  const { domain, uploadId, path } = await publish(bulkyEntries(1000));
  const key = uploadFileKey(uploadId, 1);
  const replacing = await start({
    async get() {
      await fixture.upload(account, { domain: domain.hostname, urls: bulkyEntries(1001) });
      return undefined;
    },
  });
  const replaced = await replacing.get(account, `${path}/default/urls?file=1`);
  expect(replaced).toMatchObject({ status: 409, json: { error: { code: 'CONFLICT' } } });

  const live = (await database.query('SELECT upload_id FROM sitemaps WHERE domain_id = $1', [domain.id]))
    .rows[0];
  const liveKey = uploadFileKey(live.upload_id, 1);
  expect(liveKey).not.toBe(key);
  const stored = Buffer.concat(await (await storage.get(liveKey))!.body.toArray());
  const tooLong = gzipSync('<url><loc>https://example.com/</loc></url>'.repeat(100_000));
  const notUtf8 = gzipSync(Buffer.from([0xff, 0xfe]));
  const damaged = Buffer.from(stored);
  damaged[20]! ^= 0xff;
  const cases = { damaged, cut: stored.subarray(0, -9), tooLong, notUtf8, notGzip: Buffer.from('no') };
  const search = '?file=1&search=none';
  for (const [name, bytes] of Object.entries(cases)) {
    await storage.put(liveKey, [bytes]);
    const { status, json } = await get(account, `${path}/default/urls${search}`);
    expect([status, json.error?.code], name).toEqual([503, 'SERVICE_UNAVAILABLE']);
  }
  await storage.deleteMany([liveKey]);
  expect((await get(account, `${path}/default/urls${search}`)).status).toBe(503);
  expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(6);
});

test('a store that is down is an outage', async () => {
  const { path } = await publish(bulkyEntries(1000));
  const down = await start({
    get: () => Promise.reject(new Error('the store is down')),
  });
  expect((await down.get(account, `${path}/default/urls?file=1`)).status).toBe(500);
});

test('another account sees nothing, and there is no more than there is', async () => {
  const { domain, path } = await publish(plain(10));
  const other = await addAccount(database);
  for (const what of ['files', 'urls?file=1']) {
    expect((await get(other, `${path}/default/${what}`)).status).toBe(403);
    expect((await get(account, `${path}/none/${what}`)).status).toBe(404);
    expect((await get(account, `${path}/%00/${what}`)).status).toBe(404);
    expect((await get(account, `domains/none/sitemaps/default/${what}`)).status).toBe(404);
  }
  expect((await get(account, `${path}/default/urls?file=2`)).status).toBe(404);
  await database.query('DELETE FROM sitemaps WHERE domain_id = $1', [domain.id]);
  for (const what of ['files', 'urls?file=1']) {
    expect((await get(account, `${path}/default/${what}`)).status).toBe(404);
  }
});

test.each([
  '',
  'file=0',
  'file=50001',
  'file=1.5',
  'file=1&file=2',
  'file=%00',
  'file=1&search=%00',
  'file=1&x=1',
])('a query that makes no sense is refused: %j', async (query) => {
  const { path } = await publish(plain(1));
  const { status, json } = await get(account, `${path}/default/urls?${query}`);
  expect([status, json.error.code]).toEqual([422, 'VALIDATION_ERROR']);
});
