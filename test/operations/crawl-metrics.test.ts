import { expect, test } from 'vitest';
import { createCrawlCountMetrics, createCrawlImportMetrics } from '../../src/operations/crawl-metrics.ts';
import { createMetrics } from '../../src/operations/registry.ts';

test('dropped answers and stored objects are counted', async () => {
  const metrics = createMetrics();
  let dropped = 0;
  const report = createCrawlCountMetrics(metrics, () => dropped);
  dropped = 3;
  report('written');
  report('failed');
  report('written');
  const text = await metrics.metrics();
  expect(text).toContain('waypost_hosting_crawls_dropped_total 3');
  expect(text).toContain('waypost_hosting_crawl_objects_total{outcome="written"} 2');
  expect(text).toContain('waypost_hosting_crawl_objects_total{outcome="failed"} 1');
});

test('imports are counted, and the newest has an age', async () => {
  const metrics = createMetrics();
  createCrawlImportMetrics(metrics, async () => 90)('imported');
  const text = await metrics.metrics();
  expect(text).toContain('waypost_crawl_import_age_seconds 90');
  expect(text).toContain('waypost_crawl_objects_total{outcome="imported"} 1');
});

test.each([
  ['before the first import', async () => null],
  ['without the database', async () => Promise.reject(new Error('the database is down'))],
])('%s, there is no age', async (_, age) => {
  const metrics = createMetrics();
  createCrawlImportMetrics(metrics, age);
  expect(await metrics.metrics()).not.toMatch(/^waypost_crawl_import_age_seconds/m);
});
