import { hash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { createWebComplaints } from '../../src/core/web/complaints.ts';
import { createWebServer } from '../../src/core/web/create-web-server.ts';
import { readAssets } from '../../src/edges/dashboard/assets.ts';
import { createDashboard } from '../../src/edges/dashboard/create-dashboard.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { nothing } from './route-table.ts';

const STYLES = '<link rel="stylesheet" crossorigin href="/dashboard/assets/index-abc.css">';
const STYLE = '.top { color: red }';
const BAR = '<header class="top">\n<a>Waypost</a></header>';
const PAGE = `<!doctype html><title>Waypost</title>${STYLES}${BAR}${' '.repeat(2000)}`;
/** As the page is served: with its stylesheet, whose link loads nothing. */
const STYLED = PAGE.replace(
  STYLES,
  `<style>${STYLE}</style>${STYLES.replace('"stylesheet"', '"stylesheet" disabled')}`,
);
const SCRIPT = `export const text = '${'waypost '.repeat(500)}';`;

const folder = await createTemporaryFolder();
await mkdir(join(folder, 'assets'));
await writeFile(join(folder, 'index.html'), PAGE);
await writeFile(join(folder, 'assets/index-abc.js'), SCRIPT);
await writeFile(join(folder, 'assets/index-abc.css'), STYLE);
await writeFile(join(folder, 'assets/index-abc.js.map'), '{}');
await writeFile(join(folder, 'assets/mark-abc.svg'), '<svg/>');

const get = await serve(folder);
const getSecurely = await serve(folder, 'https://api.example.net');
const getWithoutBuild = await serve(join(folder, 'nothing'));

/** Serves the pages of a build. The tests ask for nothing else. */
async function serve(build: string, origin = 'http://127.0.0.1:3000') {
  const assets = await readAssets(build);
  const reports = { answered: () => {}, refused: () => {} };
  const web = {
    reports,
    complain: createWebComplaints(collectLog()),
    trustedProxies: 0,
    checkHealth: async () => {},
  };
  const handler = createDashboard({
    ...{ assets, customer: [], routes: nothing as never },
    authentication: { origin } as never,
  });
  const server = createWebServer(web, [handler]);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  afterAll(() => new Promise((resolve) => void server.close(resolve).closeAllConnections()));
  return (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    receive(port, path, headers, method);
}

async function receive(port: number, path: string, headers: Record<string, string>, method: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number | undefined;
    headers: NodeJS.Dict<string | string[]>;
    body: Buffer;
  }>();
  const outgoing = request(
    { port, host: '127.0.0.1', path, method, headers, agent: false },
    async (answer) => {
      const body = Buffer.concat(await answer.toArray());
      resolve({ status: answer.statusCode, headers: answer.headers, body });
    },
  );
  outgoing.on('error', reject).end();
  return promise;
}

test('the pages of strangers have no bar on top, and their document shows none', async () => {
  for (const path of ['/dashboard/sign-in', '/dashboard/invitation'])
    expect((await get(path)).body.toString()).toBe(STYLED.replace(BAR, ''));
  expect((await get('/dashboard/upload')).body.toString()).toBe(STYLED);
});

test('browsers come back over https alone, where the dashboard is there', async () => {
  for (const path of ['/dashboard', '/dashboard/assets/index-abc.js', '/dashboard/nothing']) {
    expect((await getSecurely(path)).headers['strict-transport-security']).toBe('max-age=31536000');
    expect((await get(path)).headers).not.toHaveProperty('strict-transport-security');
  }
});

describe('a file of the build', () => {
  const path = '/dashboard/assets/index-abc.js';

  test('stays in caches for a year, under a name that has its hash', async () => {
    const { status, headers, body } = await get(path);
    expect({ status, body: body.toString() }).toEqual({ status: 200, body: SCRIPT });
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect((await get('/dashboard/assets/mark-abc.svg')).headers['content-type']).toBe('image/svg+xml');
  });

  test.each([
    ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
    ['gzip', 'gzip;q=0.5', gunzipSync],
  ])('comes in %s for those that take it', async (encoding, accepted, decompress) => {
    const { headers, body } = await get(path, { 'Accept-Encoding': accepted });
    expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' });
    expect(body.length).toBeLessThan(SCRIPT.length / 10);
    expect(decompress(body).toString()).toBe(SCRIPT);
  });

  test.each([
    '/dashboard/assets/index-old.js',
    '/dashboard/assets/index-abc.js.map',
    '/dashboard/assets/..%2findex.html',
  ])('%s is none', async (missing) => {
    const { status, headers } = await get(missing);
    expect({ status, cache: headers['cache-control'] }).toEqual({ status: 404, cache: 'no-store' });
  });
});

test('links in mails lead to pages with the styles of the build', async () => {
  for (const [from, hasStyles] of [
    [get, true],
    [getWithoutBuild, false],
  ] as const) {
    const { status, body } = await from('/auth/mail/stop?token=any');
    expect({ status, hasStyles: body.includes(STYLES) }).toEqual({ status: 200, hasStyles });
    expect(body.toString()).toContain('Stop these mails');
  }
});

describe('the page', () => {
  test.each([
    '/dashboard',
    '/dashboard/',
    '/dashboard/quick-start',
    '/dashboard/domains/x/sitemaps/y?tab=1&z=',
  ])('is at %s, and is asked for again each time', async (path) => {
    const { status, headers, body } = await get(path);
    expect({ status, body: body.toString() }).toEqual({ status: 200, body: STYLED });
    expect(headers['cache-control']).toBe('no-cache');
    const again = await get(path, { 'If-None-Match': String(headers.etag) });
    expect({ status: again.status, length: again.body.length }).toEqual({ status: 304, length: 0 });
  });

  test('may take nothing from elsewhere, run nothing inline, and stand in no frame', async () => {
    const { headers } = await get('/dashboard');
    expect(headers).toMatchObject({
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
      'x-content-type-options': 'nosniff',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|data:|\*|https?:/);
    // Only of the page: nothing else has styles inside.
    const allowed = `style-src 'self' 'sha256-${hash('sha256', STYLE, 'base64')}';`;
    expect(policy).toContain(allowed);
    const { headers: others } = await get('/auth/mail/stop?token=any');
    expect(others['content-security-policy']).toBe(policy.replace(allowed, "style-src 'self';"));
  });

  test('is where / leads', async () => {
    const { status, headers } = await get('/');
    expect({ status, location: headers.location }).toEqual({ status: 302, location: '/dashboard' });
  });

  test('has one method, and no page stands below its API', async () => {
    expect((await get('/dashboard', {}, 'HEAD')).headers['content-length']).toBe(String(STYLED.length));
    const posted = await get('/dashboard/x', {}, 'POST');
    expect({ status: posted.status, allow: posted.headers.allow }).toEqual({
      status: 405,
      allow: 'GET, HEAD',
    });
    for (const path of ['/dashboard/api', '/dashboard/api/', '/dashboard/api/x', '/Dashboard', '/dashboards'])
      expect({ path, status: (await get(path)).status }).toEqual({ path, status: 404 });
  });

  test.each([
    ['localhost:3000', 'http://127.0.0.1:3000/dashboard/sign-in?a=b'],
    ['[::1]:3000', 'http://127.0.0.1:3000/dashboard/sign-in?a=b'],
    ['127.0.0.1:3000', undefined],
    // Another machine's name, another port: a proxy or a tunnel, of which we know nothing.
    ['example.net:3000', undefined],
    ['localhost:3001', undefined],
    ['localhost', undefined],
    ['', undefined],
  ])('asked for at %j leads to %s', async (Host, location) => {
    const { status, headers } = await get('/dashboard/sign-in?a=b', { Host });
    if (Host === '') expect(status).toBeLessThan(500);
    else expect({ status, location: headers.location }).toEqual({ status: location ? 302 : 200, location });
  });
});

test('without a build, the answer says how to make one', async () => {
  const { status, body } = await getWithoutBuild('/dashboard');
  expect(status).toBe(503);
  expect(JSON.parse(body.toString()).error.message).toContain('npm run build:dashboard');
  expect((await getWithoutBuild('/dashboard/assets/index-abc.js')).status).toBe(404);
});
