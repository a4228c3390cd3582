import { expect, test } from 'vitest';
import { startCrawlCounts } from '../../src/compose/open-hosting.ts';
import { readConfig } from '../../src/core/config/config.ts';
import { unpackCounts } from '../../src/features/crawls/crawl-object.ts';
import { createMetrics } from '../../src/operations/registry.ts';
import type { Log } from '../../src/platform/log.ts';
import type { ObjectStorage } from '../../src/platform/storage/object-storage.ts';
import { collectLog } from '../support/collect-log.ts';

type Put = ObjectStorage['put'];

function start(everyMs: number, put: Put) {
  const [log, metrics, scope] = [collectLog(), createMetrics(), new AsyncDisposableStack()];
  const config = readConfig({ CRAWL_COUNTS_MS: String(everyMs) });
  const storage = { put } as ObjectStorage;
  const counts = startCrawlCounts({ config, metrics, scope, storage, log: log as Log });
  return { counts, log, metrics, scope };
}

test('counts are stored at intervals, and the last ones at the end', async () => {
  const stored: Buffer[] = [];
  const { counts, scope, metrics } = start(10, async (_, parts) => void stored.push(Buffer.concat(parts)));
  counts!.add('a.example', 'curl/8', 200, 0);
  await expect.poll(() => stored.length).toBe(1);
  counts!.add('a.example', 'curl/8', 200, 0);
  counts!.add('a.example', 'curl/8', 200, 0);
  await scope.disposeAsync();
  const lines = (await Promise.all(stored.map(unpackCounts))).flat();
  expect(lines.reduce((sum, { requests }) => sum + requests, 0)).toBe(3);
  const text = await metrics.metrics();
  expect(text).toContain(`waypost_hosting_crawl_objects_total{outcome="written"} ${stored.length}`);
  expect(text).toContain('waypost_hosting_crawls_dropped_total 0');
});

test('a store that fails is complained of rarely, and the last counts are lost loudly', async () => {
  let puts = 0;
  const { counts, scope, log } = start(5, async () => {
    puts++;
    throw new Error('the store is down');
  });
  counts!.add('a.example', 'curl/8', 200, 0);
  await expect.poll(() => puts).toBeGreaterThan(3);
  await scope.disposeAsync();
  expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'warn counts of crawls cannot be written; they wait',
    'warn the last counts of crawls are lost',
  ]);
});

test('a store that hangs does not keep the process', async () => {
  let puts = 0;
  const { counts, scope, log } = start(5, () => {
    puts++;
    return new Promise(() => {});
  });
  counts!.add('a.example', 'curl/8', 200, 0);
  await expect.poll(() => puts).toBe(1);
  await scope.disposeAsync();
  expect(puts).toBe(1);
  expect(log.lines).toMatchObject([{ level: 'warn', message: 'the last counts of crawls are lost' }]);
});

test('with 0, nothing is counted', async () => {
  const { counts, metrics } = start(0, async () => {});
  expect(counts).toBeUndefined();
  expect(await metrics.metrics()).toBe('\n');
});
