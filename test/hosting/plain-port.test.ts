/** The answers of the plain port beside files: challenges of certificate authorities, and redirects to HTTPS. */
import { expect, test } from 'vitest';
import { challengeKey } from '../../src/features/sites/certificate.ts';
import { exchange } from './exchange.ts';
import { publishHosts, publishSite } from './hosted-site.ts';
import { HOSTNAME, type RunningHosting, startHosting } from './start-hosting.ts';

const TOKEN = 'evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA';
const AUTHORIZATION = `${TOKEN}.9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI`;
const PATH = `/.well-known/acme-challenge/${TOKEN}`;
const OTHER = 'other.example.com';

async function putChallenge({ storage }: RunningHosting, hostname = HOSTNAME, at = hostname): Promise<void> {
  const challenge = { hostname, token: TOKEN, keyAuthorization: AUTHORIZATION };
  await storage.put(challengeKey(at), [Buffer.from(JSON.stringify(challenge))]);
}

const ask = ({ port }: RunningHosting, path: string, host = HOSTNAME, method = 'GET') =>
  exchange(port, `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);

test('a challenge is answered for exactly its host and token, with a site or without', async () => {
  await using hosting = await startHosting();
  await putChallenge(hosting);
  const { status, headers, body } = await ask(hosting, PATH);
  expect([status, body.toString()]).toEqual([200, AUTHORIZATION]);
  expect(headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  expect((await ask(hosting, PATH, HOSTNAME.toUpperCase())).status).toBe(200);
  expect((await ask(hosting, `${PATH}?x`)).status).toBe(200);
  expect((await ask(hosting, PATH, HOSTNAME, 'HEAD')).body.length).toBe(0);
  expect((await ask(hosting, PATH, HOSTNAME, 'POST')).status).toBe(405);
  for (const path of [
    PATH.slice(0, -1),
    `${PATH}x`,
    PATH.toLowerCase(),
    `/${PATH}`,
    '/.well-known/acme-challenge/',
  ]) {
    expect((await ask(hosting, path)).status).toBe(404);
  }
  expect((await ask(hosting, PATH, OTHER)).status).toBe(404);
});

test('the object of another host answers nothing, and a damaged one 503', async () => {
  await using hosting = await startHosting();
  await putChallenge(hosting, OTHER, HOSTNAME);
  expect((await ask(hosting, PATH)).status).toBe(404);
  await hosting.storage.put(challengeKey(HOSTNAME), [Buffer.from('{')]);
  hosting.clock.now += 1_000;
  expect((await ask(hosting, PATH)).status).toBe(503);
});

test('a flood of tokens costs one read a second and host, and a new challenge is seen after it', async () => {
  await using hosting = await startHosting();
  const reads = () => hosting.faults.asked.filter((key) => key === challengeKey(HOSTNAME)).length;
  const flood = async () => {
    const paths = Array.from({ length: 50 }, (_, n) => `/.well-known/acme-challenge/token${n}`);
    await Promise.all(paths.map((path) => ask(hosting, path)));
  };
  await flood();
  expect(reads()).toBe(1);
  await putChallenge(hosting);
  hosting.clock.now += 999;
  expect((await ask(hosting, PATH)).status).toBe(404);
  hosting.clock.now += 1;
  expect((await ask(hosting, PATH)).status).toBe(200);
  await flood();
  expect(reads()).toBe(2);
});

test('challenges of invented hosts have a budget, and those of listed hosts are answered beside it', async () => {
  await using hosting = await startHosting({ unknownHostsPerSecond: 50 });
  const listed = Array.from({ length: 20 }, (_, n) => `maps${n}.example.com`);
  await publishHosts(hosting.storage, listed);
  for (const hostname of listed) await putChallenge(hosting, hostname);
  const statuses: Record<number, number> = {};
  for (let n = 0; n < 100; n++) {
    const { status } = await ask(hosting, PATH, `x${n}.example.org`);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  // A tenth of the budget is for one client.
  expect(statuses).toEqual({ 404: 5, 503: 95 });
  for (const hostname of listed) expect((await ask(hosting, PATH, hostname)).status).toBe(200);
  expect(hosting.logged).toMatchObject([{ level: 'warn', message: expect.stringContaining('challenges') }]);
});

test('a site with HTTPS redirects its files to its origin, and nothing else', async () => {
  await using hosting = await startHosting();
  const origin = `https://${HOSTNAME}:8443`;
  await publishSite(hosting.storage, {
    origin,
    https: true,
    sitemaps: [{ uploadId: 'u', files: ['<urlset/>'] }],
  });
  await putChallenge(hosting);
  for (const path of [
    '/sitemap.xml',
    '/robots.txt',
    '/sitemap-index.xml',
    '/sitemap.css',
    '/sitemap-none.xml',
  ]) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await ask(hosting, `${path}?query`, HOSTNAME, method);
      expect([status, headers.location]).toEqual([301, origin + path]);
    }
  }
  // The origin is ours, whatever name the client sends.
  const absolute = await ask(hosting, `http://${HOSTNAME}/robots.txt`);
  expect([absolute.status, absolute.headers.location]).toEqual([301, `${origin}/robots.txt`]);
  expect((await ask(hosting, PATH)).status).toBe(200);
  expect((await ask(hosting, '/healthz')).status).toBe(200);
  expect((await ask(hosting, '//evil.example/robots.txt')).status).toBe(404);
  expect((await ask(hosting, '/robots.txt', OTHER)).status).toBe(404);
});

test('a site without HTTPS, or one that lost it, is served plainly', async () => {
  await using hosting = await startHosting();
  await publishSite(hosting.storage, { https: true });
  expect((await ask(hosting, '/robots.txt')).status).toBe(301);
  await publishSite(hosting.storage, { https: false });
  hosting.clock.now += 1_000;
  expect((await ask(hosting, '/robots.txt')).status).toBe(200);
});
