import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StoredObjects } from '../../../src/edges/hosting/bodies/stored-objects.ts';
import { HostingCounts } from '../../../src/edges/hosting/hosting-counts.ts';
import { foundFile } from '../../../src/edges/hosting/lookup/found-file.ts';
import type { GuardedStorage } from '../../../src/edges/hosting/lookup/guarded-storage.ts';
import {
  listingKey,
  siteIndexKey,
  siteKey,
  uploadFileKey,
  uploadIndexKey,
} from '../../../src/features/sites/site.ts';
import { contentDigest } from '../../../src/platform/content-digest.ts';
import { readObject } from '../../../src/platform/storage/object-storage.ts';
import { SOON } from '../../support/soon.ts';
import { publishSite, uploadIndexXml } from '../hosted-site.ts';
import { HOSTNAME, startHosting } from '../start-hosting.ts';

const FILE_KEY = uploadFileKey('u', 1);
/** About 100 kB as XML, and half of that as gzip: several chunks of any stream. */
const LARGE = `<urlset>${randomBytes(50_000).toString('hex')}</urlset>`;
const fetchesOf = (asked: readonly string[], key: string) => asked.filter((given) => given === key).length;

describe('memory', () => {
  test('a hot file is served in both encodings after the store is gone', async () => {
    await using hosting = await startHosting();
    await publishSite(hosting.storage, { sitemaps: [{ uploadId: 'u', files: [LARGE] }] });
    await hosting.get('/sitemap.xml');
    hosting.faults.fault = () => 'fails';
    hosting.clock.now += 3_600_000;
    expect((await hosting.get('/sitemap.xml')).body.toString()).toBe(LARGE);
    const gzip = await hosting.get('/sitemap.xml', 'Accept-Encoding: gzip');
    expect(gunzipSync(gzip.body).toString()).toBe(LARGE);
  });

  test('is bounded: a file beyond the bound is fetched again', async () => {
    await using hosting = await startHosting({ cacheBytes: 110_000 });
    await publishSite(hosting.storage, {
      sitemaps: [
        { uploadId: 'u', files: [LARGE] },
        { uploadId: 'v', name: 'v', files: [LARGE] },
      ],
    });
    for (const path of ['/sitemap.xml', '/sitemap.xml', '/sitemap-v.xml', '/sitemap.xml']) {
      expect((await hosting.get(path)).body.toString()).toBe(LARGE);
    }
    expect(fetchesOf(hosting.faults.asked, FILE_KEY)).toBe(2);
  });
});

describe('a file too large for memory', () => {
  test('is read from the store each time, whole and in ranges; its XML is kept if it is small', async () => {
    await using hosting = await startHosting({ maxCachedFileBytes: 1_000 });
    await publishSite(hosting.storage, { sitemaps: [{ uploadId: 'u', files: [LARGE] }] });
    const identity = await hosting.get('/sitemap.xml');
    expect(identity.body.toString()).toBe(LARGE);
    const gzip = await hosting.get('/sitemap.xml', 'Accept-Encoding: gzip');
    expect(gzip.headers['content-length']).toBe(String(gzip.body.length));
    expect(gunzipSync(gzip.body).toString()).toBe(LARGE);

    const gzipPart = await hosting.get('/sitemap.xml', 'Accept-Encoding: gzip', 'Range: bytes=100-299');
    expect(gzipPart.body).toEqual(gzip.body.subarray(100, 300));
    const part = await hosting.get('/sitemap.xml', 'Range: bytes=70000-70009');
    expect(part.body.toString()).toBe(LARGE.slice(70_000, 70_010));
    expect(fetchesOf(hosting.faults.asked, FILE_KEY)).toBe(3);
    await vi.waitFor(() => expect(hosting.faults.openBodies.size).toBe(0), SOON);
  });
});

describe('of 100 files that are asked for at once', () => {
  test('64 are read at once, and the others after them', async () => {
    await using hosting = await startHosting({ storageTimeoutMs: 120_000 });
    const files = Array.from({ length: 100 }, (_, n) => `<urlset>${n}</urlset>`);
    await publishSite(hosting.storage, { sitemaps: [{ uploadId: 'u', files }] });
    await hosting.get('/sitemap.xml', 'Accept-Encoding: gzip');
    const before = hosting.counts.files.misses;
    const { promise, resolve } = Promise.withResolvers<void>();
    hosting.faults.gate = promise;
    const answers = files.map((_, n) => hosting.get(`/sitemap.${n + 1}.xml`, 'Accept-Encoding: gzip'));
    await vi.waitFor(() => expect(hosting.counts.files.misses - before).toBe(100), SOON);
    const reads = () => hosting.faults.asked.filter((key) => /\/\d+\.xml\.gz$/.test(key)).length;
    expect(reads()).toBe(64);
    resolve();
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
    expect(reads()).toBe(100);
  });

  test('those whose turn comes too late are not read', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const waiting: (() => void)[] = [];
    const read = () => new Promise<undefined>((resolve) => waiting.push(() => resolve(undefined)));
    const store = { read } as unknown as GuardedStorage;
    const objects = new StoredObjects({
      ...{ storage: store, fileStorage: store, cacheBytes: 1_000, maxCachedFileBytes: 1_000, maxWaitMs: 1 },
      counts: new HostingCounts(),
    });
    const file = { bytes: 1, gzipBytes: 1, etag: 'e', lastModified: '2026-01-15T10:00:00Z' };
    const outcomes = Array.from({ length: 100 }, async (_, n) =>
      objects.readWhole(foundFile(uploadFileKey('u', n + 1), file)),
    ).map((reading) => reading.catch((error) => error.name));
    vi.advanceTimersByTime(2);
    for (const end of waiting) end();
    const names = await Promise.all(outcomes);
    expect(names.filter((name) => name === 'ObjectGone')).toHaveLength(64);
    expect(names.filter((name) => name === 'Busy')).toHaveLength(36);
  });
});

test.each([
  ['listing', '/sitemap.1.xml'],
  ['listing and index', '/sitemap.xml'],
])('a site rebuilt with another origin is served although its former %s is in memory', async (_, path) => {
  await using hosting = await startHosting();
  const sitemaps = [{ uploadId: 'u', files: ['<urlset/>', '<urlset></urlset>'] }];
  await publishSite(hosting.storage, { sitemaps });
  expect((await hosting.get(path)).status).toBe(200);
  // Another index of the same upload, under the same key.
  const other = uploadIndexXml('another-index');
  const gzip = gzipSync(other);
  const listing = JSON.parse((await readObject(hosting.storage, listingKey('u')))!.toString());
  const index = {
    ...listing.index,
    bytes: other.length,
    gzipBytes: gzip.length,
    etag: contentDigest([gzip]),
  };
  await hosting.storage.put(uploadIndexKey('u'), [gzip]);
  await hosting.storage.put(listingKey('u'), [Buffer.from(JSON.stringify({ ...listing, index }))]);
  const site = JSON.parse((await readObject(hosting.storage, siteKey(HOSTNAME)))!.toString());
  const moved = { ...site, generation: 2, origin: 'https://moved.example.com' };
  await hosting.storage.put(siteKey(HOSTNAME), [Buffer.from(JSON.stringify(moved))]);
  hosting.clock.now += 1_000;
  expect((await hosting.get('/sitemap.xml')).body.toString()).toBe(other);
});

test.each(['gzip', 'identity'])(
  'a file with other bytes of the same number is 503, also for %s',
  async (encoding) => {
    await using hosting = await startHosting();
    await publishSite(hosting.storage, { sitemaps: [{ uploadId: 'u', files: ['<urlset>one</urlset>'] }] });
    const key = uploadFileKey('u', 1);
    const good = (await readObject(hosting.storage, key))!;
    const get = () => hosting.get('/sitemap.xml', `Accept-Encoding: ${encoding}`);
    for (const bad of [gzipSync('<urlset>two</urlset>'), Buffer.alloc(good.length)]) {
      expect(bad).toHaveLength(good.length);
      await hosting.storage.put(key, [bad]);
      expect((await get()).status).toBe(503);
    }
    await hosting.storage.put(key, [good]);
    expect((await get()).status).toBe(200);
  },
);

describe('an object that a fresh site.json names and that is gone', () => {
  test('after a publish: the new generation is served at once', async () => {
    await using hosting = await startHosting();
    const generation = (n: number) =>
      publishSite(hosting.storage, {
        generation: n,
        index: `<sitemapindex>${n}</sitemapindex>`,
        sitemaps: [{ uploadId: `u${n}`, files: [`<urlset>${n}</urlset>`] }],
      });
    await generation(1);
    await hosting.get('/robots.txt');
    await generation(2);
    await hosting.storage.deleteMany([siteIndexKey(HOSTNAME, 1), listingKey('u1'), uploadFileKey('u1', 1)]);
    expect((await hosting.get('/sitemap-index.xml')).body.toString()).toBe('<sitemapindex>2</sitemapindex>');
    expect((await hosting.get('/sitemap.xml')).body.toString()).toBe('<urlset>2</urlset>');
    expect(hosting.logged).toEqual([]);
  });

  test('after the site was deleted: 404', async () => {
    await using hosting = await startHosting();
    await publishSite(hosting.storage);
    await hosting.get('/robots.txt');
    await hosting.storage.deleteMany([siteKey(HOSTNAME), siteIndexKey(HOSTNAME, 1)]);
    expect((await hosting.get('/sitemap-index.xml')).status).toBe(404);
  });

  test.each([[listingKey('u')], [FILE_KEY]])(
    'with nothing newer: a missing %s is 503, not 404',
    async (key) => {
      await using hosting = await startHosting();
      await publishSite(hosting.storage, { sitemaps: [{ uploadId: 'u', files: ['<urlset/>'] }] });
      await hosting.storage.deleteMany([key]);
      const { status, headers } = await hosting.get('/sitemap.xml');
      expect([status, headers['retry-after']]).toEqual([503, '5']);
      expect(hosting.logged.map(({ message }) => message)).toEqual(['a published file is missing']);
    },
  );

  test.each([0, 10_000_000])('an object of another length is not ours (cacheable up to %i)', async (max) => {
    await using hosting = await startHosting({ maxCachedFileBytes: max });
    await publishSite(hosting.storage, { sitemaps: [{ uploadId: 'u', files: [LARGE] }] });
    await hosting.storage.put(FILE_KEY, [Buffer.from('torn')]);
    expect((await hosting.get('/sitemap.xml')).status).toBe(503);
    expect((await hosting.get('/sitemap.xml', 'Accept-Encoding: gzip')).status).toBe(503);
    await vi.waitFor(() => expect(hosting.faults.openBodies.size).toBe(0), SOON);
  });
});

test('an index that is replaced under its generation, as after a restore, is not served from the cache', async () => {
  await using hosting = await startHosting();
  await publishSite(hosting.storage, { index: '<sitemapindex>former</sitemapindex>' });
  await hosting.get('/sitemap-index.xml');
  await publishSite(hosting.storage, { index: '<sitemapindex>present</sitemapindex>' });
  hosting.clock.now += 1_000;
  expect((await hosting.get('/sitemap-index.xml')).body.toString()).toBe(
    '<sitemapindex>present</sitemapindex>',
  );
});
