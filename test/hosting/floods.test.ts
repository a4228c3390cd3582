/** Requests that strangers can repeat without end. They cost the store and the other clients next to nothing. */
import { expect, test } from 'vitest';
import { HOST_SHARDS, hostHash, hostsKey, shardOf } from '../../src/features/sites/host-directory.ts';
import { siteKey } from '../../src/features/sites/site.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { lengthOf } from '../support/property-runs.ts';
import { rawExchange } from './exchange.ts';
import { publishHosts, publishSite } from './hosted-site.ts';
import { HOSTNAME, type RunningHosting, startHosting } from './start-hosting.ts';

const KEY = siteKey(HOSTNAME);
/** In a short run still far beyond every bound. */
const FLOOD = lengthOf(20_000);
/** As many requests as may wait on a connection, and the one in progress. */
const PIPELINED = 100;

/** Pipelines the requests over several connections at once, and counts the answers by status. */
async function flood({ port }: RunningHosting, requests: readonly string[]) {
  const counts: Record<string, number> = {};
  const left = [...requests];
  const connections = Array.from({ length: 20 }, async () => {
    for (let own = left.splice(0, PIPELINED); own.length > 0; own = left.splice(0, PIPELINED)) {
      const received = await rawExchange(port, `${own.join('')}${request('/healthz', 'x.example', 'close')}`);
      const statuses = received.toString().match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
      // The last answer is for /healthz.
      for (const status of statuses.slice(0, -1)) counts[status] = (counts[status] ?? 0) + 1;
    }
  });
  await Promise.all(connections);
  return counts;
}

const request = (path: string, host: string, connection = 'keep-alive') =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: ${connection}\r\n\r\n`;

const unknownHosts = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => request('/sitemap.xml', `h${from + n}.example.org`));

test('random hosts cost the store a bounded number of directory look-ups, and cold sites are served', async () => {
  await using hosting = await startHosting();
  const cold = Array.from({ length: 20 }, (_, n) => `maps${n}.example.com`);
  for (const hostname of cold) await publishSite(hosting.storage, { hostname });
  await publishHosts(hosting.storage, cold);

  const flooding = flood(hosting, unknownHosts(0, FLOOD));
  for (const hostname of cold) {
    expect(await flood(hosting, [request('/robots.txt', hostname)])).toEqual({ 200: 1 });
  }
  expect(await flooding).toEqual({ 404: FLOOD });
  expect(hosting.faults.asked.toSorted()).toEqual(cold.map(siteKey).toSorted());
  // Two for each shard, the budget of one client, and those under way when it ran out.
  expect(hosting.faults.askedForHosts.length).toBeLessThanOrEqual(2 * HOST_SHARDS + 20 + 100);
  expect(hosting.logged).toEqual([]);
});

test('a site published a moment ago is found, although its part of the directory has just been read', async () => {
  await using hosting = await startHosting();
  await publishHosts(hosting.storage, []);
  expect(await flood(hosting, unknownHosts(0, 10))).toEqual({ 404: 10 });
  for (let n = 0; n < 5; n++) {
    const hostname = `new${n}.example.com`;
    await publishHosts(hosting.storage, [hostname]);
    await publishSite(hosting.storage, { hostname });
    expect(await flood(hosting, [request('/robots.txt', hostname)])).toEqual({ 200: 1 });
  }
});

test('a site published during a flood is found within the freshness time, and a removed one disappears', async () => {
  await using hosting = await startHosting({ siteFreshMs: 1_000 });
  await publishHosts(hosting.storage, []);
  expect(await flood(hosting, [...unknownHosts(0, 2_000), request('/robots.txt', HOSTNAME)])).toEqual({
    404: 2_001,
  });
  await publishHosts(hosting.storage, [HOSTNAME]);
  await publishSite(hosting.storage);
  hosting.clock.now += 1_000;
  expect((await hosting.get('/robots.txt')).status).toBe(200);

  await hosting.storage.deleteMany([KEY]);
  await publishHosts(hosting.storage, []);
  hosting.clock.now += 1_000;
  expect((await hosting.get('/robots.txt')).status).toBe(404);
  hosting.clock.now += 1_000;
  const asked = hosting.faults.asked.length;
  expect((await hosting.get('/robots.txt')).status).toBe(404);
  expect(hosting.faults.asked.length).toBe(asked);
});

test('a damaged or unreachable host directory makes no site unknown', async () => {
  await using hosting = await startHosting();
  await publishSite(hosting.storage);
  await publishHosts(hosting.storage, [HOSTNAME]);
  expect((await hosting.get('/robots.txt')).status).toBe(200);
  hosting.faults.fault = (key) => (key.startsWith('hosts/') ? 'fails' : 'none');
  expect(await flood(hosting, [request('/robots.txt', 'other.example.com')])).toEqual({ 503: 1 });
  expect((await hosting.get('/robots.txt')).status).toBe(200);
});

test('after damage to the host directory, a site is not unknown to a process that starts', async () => {
  await using hosting = await startHosting();
  await publishSite(hosting.storage);
  await publishHosts(hosting.storage, [HOSTNAME]);
  const shard = hostsKey(shardOf(hostHash(HOSTNAME)));
  const good = (await readObject(hosting.storage, shard))!;
  // A disk that lost the bytes of a file shows zeros.
  for (const bad of [Buffer.alloc(good.length), good.subarray(1)]) {
    await hosting.storage.put(shard, [bad]);
    expect((await hosting.get('/robots.txt')).status).toBe(503);
  }
  await hosting.storage.put(shard, [good]);
  expect((await hosting.get('/robots.txt')).status).toBe(200);
});

test('without a directory, unknown hosts cost the store a bounded number of requests, and held sites are served', async () => {
  await using hosting = await startHosting({ unknownHostsPerSecond: 50, siteFreshMs: 1_000 });
  await publishSite(hosting.storage);
  expect((await hosting.get('/robots.txt')).status).toBe(200);

  const asked = () => hosting.faults.asked.filter((key) => key !== KEY).length;
  let before = asked();
  for (let second = 0; second < 4; second += 1) {
    const flooding = flood(hosting, unknownHosts(second * 2_000, (second + 1) * 2_000));
    for (const _ of [1, 2, 3]) expect((await hosting.get('/robots.txt')).status).toBe(200);
    const counts = await flooding;
    const askedNow = asked() - before;
    // One client sends all requests, and has a tenth of the budget. Requests under way at the return of the first one come on top.
    expect(askedNow).toBeGreaterThanOrEqual(5);
    expect(askedNow).toBeLessThanOrEqual(5 + 100);
    expect(counts).toEqual({ 404: askedNow, 503: 2_000 - askedNow });
    before = asked();
    hosting.clock.now += 1_000;
  }
  expect(hosting.logged.map(({ message }) => message)).toEqual([
    'too many unknown hosts: some are not looked up',
  ]);

  // Held sites are also revalidated during the flood.
  await flood(hosting, unknownHosts(20_000, 20_100));
  await publishSite(hosting.storage, { origin: 'https://new.example.com' });
  hosting.clock.now += 999;
  await flood(hosting, unknownHosts(20_100, 20_200));
  hosting.clock.now += 1;
  expect((await hosting.get('/robots.txt')).body.toString()).toContain('https://new.example.com/');
});

test('a host refused during a flood learns when to come back, and is found then', async () => {
  await using hosting = await startHosting({ unknownHostsPerSecond: 1 });
  await publishSite(hosting.storage);
  await flood(hosting, unknownHosts(0, 1));
  const refused = await hosting.get('/robots.txt');
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
  hosting.clock.now += 1_000;
  expect((await hosting.get('/robots.txt')).status).toBe(200);
});

test('unknown paths on a known host cost the store one request', async () => {
  await using hosting = await startHosting();
  await publishSite(hosting.storage, { sitemaps: [{ uploadId: 'u', files: ['<urlset/>'] }] });
  const forms = [
    (n: number) => `/sitemap.${n}.xml`,
    (n: number) => `/sitemap-${n}.xml`,
    (n: number) => `/sitemap-${n}.1.xml.gz`,
    (n: number) => `/wp-admin/${n}.php?${n}`,
  ];
  const paths = forms.flatMap((form) => Array.from({ length: FLOOD / 4 }, (_, n) => form(n + 2)));
  expect(
    await flood(
      hosting,
      paths.map((path) => request(path, HOSTNAME)),
    ),
  ).toEqual({ 404: FLOOD });
  expect(hosting.faults.asked).toEqual([KEY]);
});
