/** A store that takes 1 MB/s slows its uploader down. Nobody else slows down, and memory stays flat. */
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { memoryOf } from '../../tools/process-memory.ts';
import { fetchFile } from '../service/support/crawler.ts';
import { entries, uploadDocument } from '../service/support/entries.ts';
import { startService } from './support/running-service.ts';

/** Per connection. An upload has 16 at most. */
const BYTES_PER_SECOND = 64 * 1024;
const COUNT = 3_000_000;
/** The goal of the benchmark (bench/README.md), by the options of Node that `npm run start:api` has. Here it takes some 290 MB. */
const MOST_MB = 350;
/** The client had to wait this long before its next bytes. A client that nobody slows down waits for some ms. */
const LONG_WAIT_MS = 200;

const entryAt = (index: number) => ({
  loc: `https://www.example.com/products/${index * 7919}/details`,
  lastmod: '2026-01-15T10:00:00Z',
  changefreq: 'daily',
  priority: 0.8,
});

test('an upload of millions keeps memory flat and waits, while others are served', {
  timeout: 600_000,
}, async () => {
  await using service = await startService();
  const [large, small] = [await service.addCustomer(), await service.addCustomer()];
  await small.customer.publish({ domain: small.hostname, urls: entries(5) });
  service.s3.mode = { bytesPerSecond: BYTES_PER_SECOND };

  const waits: number[] = [];
  const outgoing = request(`${service.apiUrl}/api/sitemap/generate`, {
    method: 'POST',
    headers: { 'X-API-Key': large.customer.key, 'Content-Type': 'application/json' },
  });
  const answered = Promise.withResolvers<number>();
  outgoing.on('response', (response) => answered.resolve(response.resume().statusCode ?? 0));
  outgoing.on('error', answered.reject);
  const sending = (async () => {
    for (const chunk of uploadDocument({ domain: large.hostname }, COUNT, entryAt)) {
      if (outgoing.write(chunk)) continue;
      const startedAt = performance.now();
      await new Promise((resolve) => outgoing.once('drain', resolve));
      waits.push(performance.now() - startedAt);
    }
    outgoing.end();
  })();

  let isOver = false;
  const status = Promise.all([answered.promise, sending]).finally(() => {
    isOver = true;
  });
  const others = { rounds: 0, slowestMs: 0 };
  while (!isOver) {
    const startedAt = performance.now();
    expect((await small.customer.call('GET /api/domains')).status).toBe(200);
    await small.customer.publish({ domain: small.hostname, urls: entries(5) });
    expect((await fetchFile(service, small.hostname, '/sitemap.xml')).status).toBe(200);
    others.rounds += 1;
    others.slowestMs = Math.max(others.slowestMs, performance.now() - startedAt);
  }
  expect((await status)[0]).toBe(200);
  const memoryMb = Math.round((await memoryOf(service.api.pid))!.peak / 1e6);
  const longWaits = waits.filter((ms) => ms > LONG_WAIT_MS);
  console.log({ memoryMb, longWaits: longWaits.length, ...others });
  expect(memoryMb).toBeLessThan(MOST_MB);
  expect(longWaits.length).toBeGreaterThan(3);
  expect(others.rounds).toBeGreaterThan(10);
  service.s3.mode = 'pass';
  expect((await fetchFile(service, large.hostname, `/sitemap.${COUNT / 50_000}.xml`)).status).toBe(200);
  expect(service.api.stderr()).toBe('');
});
