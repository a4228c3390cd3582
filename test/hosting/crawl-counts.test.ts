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

test('files are counted by name as a naive model counts them, and names that a site lacks up to a bound', () => {
  const answers = fc.record({
    hostname: fc.constantFrom('a.example', 'b.example'),
    userAgent: fc.constantFrom(GOOGLEBOT, 'curl/8'),
    file: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(undefined, 'robots.txt', 'sitemap.xml', 'sitemap.2.xml') },
      fc.nat(40).map((n) => `sitemap-lost${n}.xml`),
    ),
    passesMs: fc.integer({ min: 0, max: 1_000 }),
    status: fc.constantFrom(200, 304, 503),
  });
  fc.assert(
    fc.property(fc.array(answers, { maxLength: 200 }), (all) => {
      let now = 0;
      const counts = new CrawlCounts({ now: () => 0 });
      const expected = new Map<string, { requests: number; last: number }>();
      const lost = new Map<string, Set<string>>();
      let unnamed = 0;
      for (const { hostname, userAgent, file, passesMs, ...answer } of all) {
        now += passesMs;
        const isLost = file?.startsWith('sitemap-lost') ?? false;
        const status = isLost ? 404 : answer.status;
        counts.add(hostname, userAgent, status, now, file);
        const names = lost.get(hostname) ?? new Set<string>();
        if (isLost && (names.has(file!) || names.size < 20)) lost.set(hostname, names.add(file!));
        if (file === undefined || (isLost && !names.has(file))) unnamed++;
        else {
          const key = [hostname, file, userAgent === GOOGLEBOT ? 'Googlebot' : 'Tools', status].join(' ');
          const { requests } = expected.get(key) ?? { requests: 0 };
          // The first answer is at the beginning of the clock.
          expected.set(key, { requests: requests + 1, last: Math.floor((now - all[0]!.passesMs) / 1000) });
        }
      }
      const found = counts.take().flatMap(({ counts: ofDay }) => [...ofDay]);
      const named = found.filter(({ file }) => file !== undefined);
      expect(
        new Map(
          named.map(({ hostname, file, crawler, status, requests, last }) => [
            [hostname, file, crawler, status].join(' '),
            { requests, last },
          ]),
        ),
      ).toEqual(expected);
      const rest = found.filter(({ file }) => file === undefined);
      expect(rest.reduce((sum, { requests }) => sum + requests, 0)).toBe(unnamed);
    }),
  );
});

test('a flood of names leaves room for other sites, and loses no answer', () => {
  const counts = new CrawlCounts({ now: () => 0, maxCounts: 100 });
  for (let n = 0; n < 1_000; n++) counts.add('a.example', 'curl/8', 200, 0, `sitemap.${n}.xml`);
  counts.add('b.example', 'curl/8', 200, 0, 'sitemap.xml');
  expect(counts.dropped).toBe(0);
  const [{ counts: lines }] = taken(counts) as [ReturnType<typeof taken>[number]];
  expect(lines.filter(({ file }) => file !== undefined)).toHaveLength(70);
  expect(lines.filter(({ file }) => file === undefined)).toEqual([
    { hostname: 'a.example', crawler: 'Tools', status: 200, requests: 930 },
    { hostname: 'b.example', crawler: 'Tools', status: 200, requests: 1 },
  ]);
});

const OTHER = 'other.example.com';

test('answers of sites are counted, by status', async () => {
  const crawls = new CrawlCounts({ now: () => 0 });
  await using hosting = await startHosting({ crawls });
  const { storage, faults } = hosting;
  await publishSite(storage, { sitemaps: [{ uploadId: 'u', files: ['<urlset/>'] }] });
  await publishSite(storage, { hostname: OTHER, sitemaps: [{ uploadId: 'v', files: ['<urlset/>'] }] });
  let received = 0;
  for (const [path, ...lines] of [
    ['/sitemap.xml'],
    ['/robots.txt'],
    ['/sitemap.xml', 'If-None-Match: *'],
    ['/sitemap.xml', 'Range: bytes=0-1'],
    ['/sitemap.xml', 'Range: bytes=999999-'],
    ['/sitemap.xml', 'If-Match: "other"'],
    ['/sitemap.xml', 'Accept-Encoding: identity;q=0'],
    ['/sitemap-none.xml'],
    ['/sitemap.xml.gz'],
    ['/sitemap.css'],
    ['/changes.atom'],
    ['/0123456789abcdef0123456789abcdef.txt'],
  ] as const) {
    const { body } = await hosting.get(path, `User-Agent: ${GOOGLEBOT}`, ...lines);
    received += body.length;
  }
  faults.fault = (key) => (key.startsWith('uploads/') ? 'fails' : 'none');
  received += (await ask(hosting, '/sitemap.xml', OTHER)).body.length;
  received += (await ask(hosting, '/sitemap-none.xml', OTHER, 'HEAD')).body.length;

  const [{ day, counts }, ...more] = taken(crawls) as [ReturnType<typeof taken>[number]];
  expect([day, ...more]).toEqual(['1970-01-01']);
  const shown = counts.map(({ hostname, crawler, status, requests, file, last }) => {
    expect(last).toBe(file === undefined ? undefined : 0);
    return `${hostname} ${crawler} ${status} ${file}: ${requests}`;
  });
  expect(shown.sort()).toEqual(
    [
      ...['200 sitemap.xml: 2', '200 robots.txt: 1', '200 sitemap.css: 1', '404 undefined: 1'],
      ...['404 sitemap-none.xml: 1', '404 changes.atom: 1'],
      ...[206, 304, 406, 412, 416].map((status) => `${status} sitemap.xml: 1`),
    ]
      .map((line) => `${HOSTNAME} Googlebot ${line}`)
      .concat(`${OTHER} Tools 503 undefined: 1`, `${OTHER} Tools 404 sitemap-none.xml: 1`)
      .sort(),
  );
  expect(counts.reduce((sum, { bytes = 0 }) => sum + bytes, 0)).toBe(received);
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

const ask = ({ port }: RunningHosting, path: string, host: string, method = 'GET') =>
  exchange(
    port,
    `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: curl/8\r\nConnection: close\r\n\r\n`,
  );
