import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { siteKey } from '../../../src/features/sites/site.ts';
import { exchange } from '../exchange.ts';
import { publishSite } from '../hosted-site.ts';
import { HOSTNAME, type RunningHosting, startHosting } from '../start-hosting.ts';

const FRESH_MS = 1_000;
const KEY = siteKey(HOSTNAME);

let hosting: RunningHosting;
beforeEach(async () => {
  hosting = await startHosting({ siteFreshMs: FRESH_MS, storageTimeoutMs: 300 });
});
afterEach(() => hosting[Symbol.asyncDispose]());

const publish = (text: string) =>
  publishSite(hosting.storage, {
    origin: `https://${text}`,
    sitemaps: [{ uploadId: 'u', files: ['<urlset/>'] }],
  });
const originServed = async () =>
  /https:\/\/(\w+)/.exec((await hosting.get('/robots.txt')).body.toString())?.[1];
const statusOf = async (path: string, host = HOSTNAME) =>
  (await exchange(hosting.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).status;

describe('with a working store', () => {
  test('site.json is trusted for the freshness time, and then read again', async () => {
    await publish('first');
    expect(await originServed()).toBe('first');
    await publish('second');
    hosting.clock.now += FRESH_MS - 1;
    expect(await originServed()).toBe('first');
    hosting.clock.now += 1;
    expect(await originServed()).toBe('second');
    expect(hosting.faults.asked).toEqual([KEY, KEY]);
  });

  test('a deleted site disappears after the freshness time', async () => {
    await publish('first');
    expect(await statusOf('/sitemap.xml')).toBe(200);
    await hosting.storage.deleteMany([KEY]);
    hosting.clock.now += FRESH_MS;
    expect(await statusOf('/sitemap.xml')).toBe(404);
  });

  test('a time of day that is set back or forth changes nothing', async () => {
    await publish('first');
    expect(await originServed()).toBe('first');
    expect(await statusOf('/sitemap.xml', 'other.example.com')).toBe(404);
    for (const stepMs of [-86_400_000, 86_400_000]) {
      hosting.clock.stepMs = stepMs;
      await publish(`step${stepMs > 0 ? 'forth' : 'back'}`);
      expect(await originServed()).toBe(stepMs > 0 ? 'stepback' : 'first');
      hosting.clock.now += FRESH_MS;
      expect(await originServed()).toBe(stepMs > 0 ? 'stepforth' : 'stepback');
    }
    await hosting.storage.deleteMany([KEY]);
    hosting.clock.stepMs = -86_400_000;
    hosting.clock.now += FRESH_MS;
    expect(await statusOf('/sitemap.xml')).toBe(404);
  });

  test('an unknown host is looked up once per freshness time, and found when it appears', async () => {
    for (const _ of [1, 2, 3]) expect(await statusOf('/sitemap.xml')).toBe(404);
    expect(hosting.faults.asked).toEqual([KEY]);
    await publish('first');
    hosting.clock.now += FRESH_MS;
    expect(await statusOf('/sitemap.xml')).toBe(200);
  });

  test('an unchanged site.json moves no bytes', async () => {
    await publish('first');
    for (const _ of [1, 2, 3]) {
      expect(await originServed()).toBe('first');
      hosting.clock.now += FRESH_MS;
    }
    expect(hosting.faults.asked).toEqual([KEY, KEY, KEY]);
    expect(hosting.faults.moved).toEqual([KEY]);
    await publish('second');
    expect(await originServed()).toBe('second');
    expect(hosting.faults.moved).toEqual([KEY, KEY]);
  });

  test('unknown paths and impossible hosts cost the store nothing', async () => {
    await publish('first');
    expect(await statusOf('/wp-login.php')).toBe(404);
    expect(await statusOf('/sitemap.xml', '10.0.0.1')).toBe(404);
    expect(await statusOf('/sitemap.xml', 'localhost')).toBe(404);
    expect(hosting.faults.asked).toEqual([]);

    expect(await statusOf('/sitemap-1.xml')).toBe(404);
    for (let n = 1; n <= 20; n += 1) expect(await statusOf(`/sitemap.${n}.xml`)).toBe(404);
    expect(hosting.faults.asked).toEqual([KEY]);
  });

  test('20 concurrent misses cost one fetch of each object', async () => {
    await publish('first');
    const { promise, resolve } = Promise.withResolvers<void>();
    hosting.faults.gate = promise;
    const answers = Array.from({ length: 20 }, () => statusOf('/sitemap.xml'));
    resolve();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    expect(hosting.faults.asked).toEqual([KEY, 'uploads/u/listing.json', 'uploads/u/1.xml.gz']);
  });
});

describe('with a failing store', () => {
  test.each(['fails', 'hangs', 'breaks in mid-stream', 'stalls in mid-stream'] as const)(
    'and %s, a known site is still served and an unknown one is 503, never 404',
    async (fault) => {
      await publish('first');
      expect(await statusOf('/sitemap.xml')).toBe(200);
      hosting.faults.fault = () => fault;
      hosting.clock.now += 60_000;
      await publish('second');
      expect(await originServed()).toBe('first');
      expect(await statusOf('/sitemap.xml')).toBe(200);

      const { port } = hosting;
      await publishSite(hosting.storage, { hostname: 'cold.example.com' });
      const cold = await exchange(
        port,
        'GET /robots.txt HTTP/1.1\r\nHost: cold.example.com\r\nConnection: close\r\n\r\n',
      );
      expect([cold.status, cold.headers['retry-after']]).toEqual([503, '5']);

      hosting.faults.fault = () => 'none';
      hosting.clock.now += FRESH_MS;
      expect(await originServed()).toBe('second');
    },
  );

  test('it is asked once per freshness time, and the log has one line', async () => {
    await publish('first');
    await originServed();
    hosting.faults.fault = () => 'fails';
    hosting.clock.now += FRESH_MS;
    for (const _ of [1, 2, 3]) expect(await originServed()).toBe('first');
    expect(hosting.faults.asked).toEqual([KEY, KEY]);
    expect(hosting.logged.map(({ message }) => message)).toEqual(['object storage fails']);
  });

  test('a site.json that cannot be parsed is an outage', async () => {
    await hosting.storage.put(KEY, [Buffer.from('{"hostname":1}')]);
    expect(await statusOf('/sitemap.xml')).toBe(503);
    await hosting.storage.put(KEY, [Buffer.from('{')]);
    expect(await statusOf('/sitemap.xml')).toBe(503);
  });
});

test('a slow store delays requests for a known site only briefly', async () => {
  await using patient = await startHosting({ storageTimeoutMs: 600_000 });
  await publishSite(patient.storage);
  expect((await patient.get('/robots.txt')).status).toBe(200);
  patient.faults.fault = () => 'hangs';
  patient.clock.now += 60_000;
  expect((await patient.get('/robots.txt')).status).toBe(200);
});
