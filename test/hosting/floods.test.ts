/** What strangers may ask for without end: it costs the store, and those who are served, next to nothing. */
import { expect, test } from 'vitest';
import { siteKey } from '../../src/sites/site.ts';
import { rawExchange } from './exchange.ts';
import { publishSite } from './hosted-site.ts';
import { HOSTNAME, type RunningHosting, startHosting } from './start-hosting.ts';

const KEY = siteKey(HOSTNAME);

/** Sends the requests over 20 connections, and counts the answers by status. */
async function flood({ port }: RunningHosting, requests: readonly string[]) {
  const counts: Record<string, number> = {};
  const perConnection = Math.ceil(requests.length / 20);
  const connections = Array.from({ length: 20 }, async (_, n) => {
    const own = requests.slice(n * perConnection, (n + 1) * perConnection);
    const received = await rawExchange(port, `${own.join('')}${request('/healthz', 'x.example', 'close')}`);
    const statuses = received.toString().match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
    // The last is that of /healthz.
    for (const status of statuses.slice(0, -1)) counts[status] = (counts[status] ?? 0) + 1;
  });
  await Promise.all(connections);
  return counts;
}

const request = (path: string, host: string, connection = 'keep-alive') =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: ${connection}\r\n\r\n`;

const unknownHosts = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => request('/sitemap.xml', `h${from + n}.example.org`));

test('20,000 unknown hosts cost the store a bounded number of requests, and held sites are served throughout', async () => {
  await using hosting = await startHosting({ unknownHostsPerSecond: 50, siteFreshMs: 1_000 });
  await publishSite(hosting.storage);
  expect((await hosting.get('/robots.txt')).status).toBe(200);

  const asked = () => hosting.faults.asked.filter((key) => key !== KEY).length;
  let held = 0;
  let before = asked();
  for (let second = 0; second < 4; second += 1) {
    const flooding = flood(hosting, unknownHosts(second * 5_000, (second + 1) * 5_000));
    for (const _ of [1, 2, 3]) {
      expect((await hosting.get('/robots.txt')).status).toBe(200);
      held += 1;
    }
    const counts = await flooding;
    const askedNow = asked() - before;
    // In the first second those that were under way before the first came back; then no more than is allowed.
    expect(askedNow).toBeLessThanOrEqual(second === 0 ? 50 + 1_000 : 50);
    expect(counts).toEqual({ 404: askedNow, 503: 5_000 - askedNow });
    before = asked();
    hosting.clock.now += 1_000;
  }
  expect(held).toBe(12);
  expect(hosting.logged.map(({ message }) => message)).toEqual([
    'too many unknown hosts: some are not looked up',
  ]);

  // Held sites are revalidated in the middle of it, too.
  await flood(hosting, unknownHosts(20_000, 20_100));
  await publishSite(hosting.storage, { origin: 'https://new.example.com' });
  hosting.clock.now += 999;
  await flood(hosting, unknownHosts(20_100, 20_200));
  hosting.clock.now += 1;
  expect((await hosting.get('/robots.txt')).body.toString()).toContain('https://new.example.com/');
});

test('a host that is refused in a flood is told when to come back, and is found then', async () => {
  await using hosting = await startHosting({ unknownHostsPerSecond: 1 });
  await publishSite(hosting.storage);
  await flood(hosting, unknownHosts(0, 1));
  const refused = await hosting.get('/robots.txt');
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
  hosting.clock.now += 1_000;
  expect((await hosting.get('/robots.txt')).status).toBe(200);
});

test('20,000 unknown paths on a known host cost the store one request', async () => {
  await using hosting = await startHosting();
  await publishSite(hosting.storage, { sitemaps: [{ uploadId: 'u', files: ['<urlset/>'] }] });
  const forms = [
    (n: number) => `/sitemap.${n}.xml`,
    (n: number) => `/sitemap-${n}.xml`,
    (n: number) => `/sitemap-${n}.1.xml.gz`,
    (n: number) => `/wp-admin/${n}.php?${n}`,
  ];
  const paths = forms.flatMap((form) => Array.from({ length: 5_000 }, (_, n) => form(n + 2)));
  expect(
    await flood(
      hosting,
      paths.map((path) => request(path, HOSTNAME)),
    ),
  ).toEqual({ 404: 20_000 });
  expect(hosting.faults.asked).toEqual([KEY]);
});
