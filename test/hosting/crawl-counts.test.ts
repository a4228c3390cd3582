import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CrawlCounts } from '../../src/edges/hosting/crawl-counts.ts';
import { challengeKey } from '../../src/features/sites/certificate.ts';
import { exchange } from './exchange.ts';
import { publishSite } from './hosted-site.ts';
import { HOSTNAME, type RunningHosting, startHosting } from './start-hosting.ts';

const DAY_MS = 24 * 3_600_000;
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

const taken = (counts: CrawlCounts) => counts.take().map(({ day, counts }) => ({ day, counts: [...counts] }));

test('a count belongs to the day of its answer, and is taken once', () => {
  const clock = { now: Date.parse('2026-02-01T23:59:59.999Z') };
  const counts = new CrawlCounts({ now: () => clock.now });
  counts.add('a.example', GOOGLEBOT, 200, 5);
  clock.now += 1;
  counts.add('a.example', GOOGLEBOT, 200, 5.999);
  counts.add('a.example', GOOGLEBOT, 200, 6);
  counts.add('a.example', undefined, 404, 6);
  const googlebot = { hostname: 'a.example', crawler: 'Googlebot', status: 200 };
  expect(taken(counts)).toEqual([
    { day: '2026-02-01', counts: [{ ...googlebot, requests: 2 }] },
    {
      day: '2026-02-02',
      counts: [
        { ...googlebot, requests: 1 },
        { hostname: 'a.example', crawler: 'No User-Agent', status: 404, requests: 1 },
      ],
    },
  ]);
  expect(counts.take()).toEqual([]);
  // The clock was put back.
  clock.now -= 1;
  counts.add('a.example', GOOGLEBOT, 200, 7);
  expect(taken(counts)).toEqual([{ day: '2026-02-01', counts: [{ ...googlebot, requests: 1 }] }]);
});

test('without room, what is counted goes on, and what is new is dropped', () => {
  const counts = new CrawlCounts({ now: () => 0, maxCounts: 2 });
  for (const hostname of ['a.example', 'b.example', 'c.example', 'a.example'])
    counts.add(hostname, 'curl/8', 200, 0);
  counts.add('a.example', 'curl/8', 304, 0);
  expect(counts.dropped).toBe(2);
  const [day] = taken(counts);
  expect(day!.counts.map(({ hostname, requests }) => `${hostname} ${requests}`)).toEqual([
    'a.example 2',
    'b.example 1',
  ]);
  counts.add('c.example', 'curl/8', 200, 0);
  expect(counts.dropped).toBe(2);
});

test('whatever comes, as much is taken as was added, by its day', () => {
  const answers = fc.record({
    hostname: fc.constantFrom('a.example', 'b.example', 'c.example'),
    userAgent: fc.option(fc.string(), { nil: undefined }),
    status: fc.integer({ min: 200, max: 599 }),
    passesMs: fc.oneof(fc.constant(0), fc.constant(DAY_MS), fc.integer({ min: 0, max: DAY_MS })),
    takes: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(answers), (all) => {
      let now = 0;
      const counts = new CrawlCounts({ now: () => now });
      const [added, found] = [new Map<string, number>(), new Map<string, number>()];
      const sum = (sums: Map<string, number>, key: string, requests: number) =>
        sums.set(key, (sums.get(key) ?? 0) + requests);
      const take = () => {
        for (const { day, counts: ofDay } of counts.take()) {
          for (const { hostname, status, requests } of ofDay)
            sum(found, `${day} ${hostname} ${status}`, requests);
        }
      };
      for (const { hostname, userAgent, status, passesMs, takes } of all) {
        now += passesMs;
        counts.add(hostname, userAgent, status, now);
        sum(added, `${new Date(now).toISOString().slice(0, 10)} ${hostname} ${status}`, 1);
        if (takes) take();
      }
      take();
      expect(found).toEqual(added);
    }),
  );
});

const OTHER = 'other.example.com';

test('answers of sites are counted, by status', async () => {
  const crawls = new CrawlCounts({ now: () => 0 });
  await using hosting = await startHosting({ crawls });
  const { storage, faults } = hosting;
  await publishSite(storage, { sitemaps: [{ uploadId: 'u', files: ['<urlset/>'] }] });
  await publishSite(storage, { hostname: OTHER, sitemaps: [{ uploadId: 'v', files: ['<urlset/>'] }] });
  for (const [path, ...lines] of [
    ['/sitemap.xml'],
    ['/robots.txt'],
    ['/sitemap.xml', 'If-None-Match: *'],
    ['/sitemap.xml', 'Range: bytes=0-1'],
    ['/sitemap.xml', 'Range: bytes=999999-'],
    ['/sitemap.xml', 'If-Match: "other"'],
    ['/sitemap.xml', 'Accept-Encoding: identity;q=0'],
    ['/sitemap-none.xml'],
  ] as const) {
    await hosting.get(path, `User-Agent: ${GOOGLEBOT}`, ...lines);
  }
  faults.fault = (key) => (key.startsWith('uploads/') ? 'fails' : 'none');
  await ask(hosting, '/sitemap.xml', OTHER);

  const [{ day, counts }, ...more] = taken(crawls) as [ReturnType<typeof taken>[number]];
  expect([day, ...more]).toEqual(['1970-01-01']);
  expect(counts.toSorted((a, b) => a.status - b.status)).toEqual([
    ...[200, 206, 304, 404, 406, 412, 416].map((status) => ({
      ...{ hostname: HOSTNAME, crawler: 'Googlebot', status },
      requests: status === 200 ? 2 : 1,
    })),
    { hostname: OTHER, crawler: 'Tools', status: 503, requests: 1 },
  ]);
});

test('answers without a site are not counted', async () => {
  const crawls = new CrawlCounts({ now: () => 0 });
  await using hosting = await startHosting({ crawls });
  await publishSite(hosting.storage);
  const challenge = { hostname: HOSTNAME, token: 't', keyAuthorization: 't.x' };
  await hosting.storage.put(challengeKey(HOSTNAME), [Buffer.from(JSON.stringify(challenge))]);
  const statuses = [];
  for (const path of ['/healthz', '/.well-known/acme-challenge/t', '/no-such-path', '/a b']) {
    statuses.push((await hosting.get(path)).status);
  }
  statuses.push((await ask(hosting, '/sitemap.xml', OTHER)).status);
  expect(statuses).toEqual([200, 200, 404, 400, 404]);
  expect(crawls.take()).toEqual([]);
});

const ask = ({ port }: RunningHosting, path: string, host: string) =>
  exchange(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: curl/8\r\nConnection: close\r\n\r\n`);
