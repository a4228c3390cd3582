import { expect, test } from 'vitest';
import { listingKey, siteKey } from '../../src/features/sites/site.ts';
import { publishSite } from './hosted-site.ts';
import { HOSTNAME, startHosting } from './start-hosting.ts';

test('answers are counted by status, and look-ups by memory hit or miss', async () => {
  await using hosting = await startHosting();
  const { storage, counts, clock } = hosting;
  await publishSite(storage, { sitemaps: [{ uploadId: 'u', files: ['<urlset/>'] }] });
  expect(counts).toMatchObject({ sites: { hits: 0, misses: 0 } });
  for (const path of ['/sitemap.xml', '/sitemap.xml', '/sitemap-none.xml'])
    await hosting.get(path, 'Accept-Encoding: gzip');
  expect([counts.answers[200], counts.answers[404]]).toEqual([2, 1]);
  expect(counts.sites).toEqual({ hits: 2, misses: 1 });
  expect(counts.listings).toEqual({ hits: 1, misses: 1 });
  expect(counts.files).toEqual({ hits: 1, misses: 1 });
  expect(counts.siteBytes()).toBeGreaterThan(0);
  expect(counts.objectBytes()).toBeGreaterThan(0);
  expect(counts.durations.counts.reduce((sum, count) => sum + count)).toBe(3);
  expect(counts.durations.sum).toBeGreaterThan(0);
  // A stale site that is held is asked for again.
  clock.now += 60_000;
  await hosting.get('/sitemap.xml');
  expect(counts.sites).toEqual({ hits: 2, misses: 2 });
  // An answer to a request that the parser refuses counts too.
  await hosting.get('/a b');
  expect(counts.answers[400]).toBe(1);
});

test('an answer for our own fault has an id, which the log line has too', async () => {
  await using hosting = await startHosting();
  await publishSite(hosting.storage, { sitemaps: [{ uploadId: 'u', files: ['<urlset/>'] }] });
  await hosting.storage.deleteMany([listingKey('u')]);
  const missing = await hosting.get('/sitemap.xml');
  expect(missing.status).toBe(503);
  expect(hosting.logged).toMatchObject([
    { message: 'a published file is missing', details: { requestId: missing.headers['x-request-id'] } },
  ]);
  await hosting.storage.put(siteKey(HOSTNAME), [Buffer.from('no JSON')]);
  await using second = await startHosting();
  await second.storage.put(siteKey(HOSTNAME), [Buffer.from('no JSON')]);
  const unavailable = await second.get('/sitemap.xml');
  expect(unavailable.status).toBe(503);
  expect(second.informed).toMatchObject([
    { message: 'answered 503', details: { requestId: unavailable.headers['x-request-id'], host: HOSTNAME } },
  ]);
});
