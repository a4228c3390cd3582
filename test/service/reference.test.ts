/** Spec D65: the API describes itself, for programs and for people, to anyone. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readDescription } from '../support/api-description.ts';
import { callApi } from './support/customer.ts';
import { send } from './support/send.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const get = (path: string, headers = {}, method = 'GET') => send(waypost.apiUrl + path, { method, headers });

test('spec D65 the description is served to anyone, as it is in the repository', async () => {
  const { status, headers, body } = await get('/api/openapi.json');
  expect({ status, type: headers['content-type'], cache: headers['cache-control'] }).toEqual({
    status: 200,
    type: 'application/json; charset=utf-8',
    cache: 'public, max-age=300',
  });
  expect(JSON.parse(body.toString())).toEqual(readDescription());
});

describe.each([
  ['/api/openapi.json', 'application/json; charset=utf-8'],
  ['/api/docs', 'text/html; charset=utf-8'],
  ['/api/docs/reference.css', 'text/css; charset=utf-8'],
])('spec D65 %s', (path, type) => {
  test('comes in gzip for those that take it, with an ETag of its own', async () => {
    const plain = await get(path);
    const zipped = await get(path, { 'Accept-Encoding': 'gzip, deflate' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': type });
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true);
    expect(zipped.headers.etag).not.toBe(plain.headers.etag);
    expect([plain, zipped].map(({ headers }) => headers.vary)).toEqual([
      'Accept-Encoding',
      'Accept-Encoding',
    ]);
  });

  test('comes in br where that is taken too', async () => {
    const [plain, packed] = [await get(path), await get(path, { 'Accept-Encoding': 'gzip, br' })];
    expect(packed.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(packed.body).equals(plain.body)).toBe(true);
  });

  test('is 304 for those that have it', async () => {
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'Accept-Encoding': encoding };
      const { etag = '' } = (await get(path, headers)).headers;
      const again = await get(path, { ...headers, 'If-None-Match': etag });
      expect({ status: again.status, etag: again.headers.etag, length: again.body.length }).toEqual({
        status: 304,
        etag,
        length: 0,
      });
      expect((await get(path, { ...headers, 'If-None-Match': '"another"' })).status).toBe(200);
    }
  });

  test('answers HEAD, and refuses other methods and query parameters', async () => {
    const full = await get(path);
    const head = await get(path, {}, 'HEAD');
    expect({ status: head.status, body: head.body.length, length: head.headers['content-length'] }).toEqual({
      status: 200,
      body: 0,
      length: String(full.body.length),
    });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await callApi(waypost, `${method} ${path}`);
      expect({ method, status, allow: headers.allow }).toEqual({ method, status: 405, allow: 'GET, HEAD' });
    }
    expect((await callApi(waypost, `GET ${path}?x=1`)).status).toBe(422);
    expect((await callApi(waypost, `GET ${path}/`)).status).toBe(404);
  });
});

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'];
/** Event Grid asks a hook by OPTIONS. No client of ours does, so it is not described. */
const UNDESCRIBED: Readonly<Record<string, string[]>> = { '/api/hooks/{token}': ['OPTIONS'] };

test.each(Object.entries(readDescription().paths))(
  'spec D65 %s has the described methods, and no others',
  async (path, described) => {
    const isThere = (method: string) => (method === 'head' ? 'get' : method) in described;
    const there = METHODS.filter(isThere).map((method) => method.toUpperCase());
    const allowed = [...there, ...(UNDESCRIBED[path] ?? [])];
    for (const method of METHODS) {
      const { status, headers } = await get(path.replaceAll(/\{\w+\}/g, 'x'), {}, method.toUpperCase());
      const isPublic = Object.values(described).some(({ security }) => security !== undefined);
      // Of a public operation with something in its path, the invented one is not there.
      const whenPublic = path.includes('{') ? 404 : 200;
      const expected = isThere(method)
        ? { status: isPublic ? whenPublic : 401 }
        : { status: 405, allow: allowed.join(', ') };
      expect({ method, status, allow: headers.allow }).toEqual({ method, allow: undefined, ...expected });
    }
  },
);

describe('spec D65 the page', async () => {
  const { headers, body } = await get('/api/docs');
  const page = body.toString();
  const all = (pattern: RegExp) => Array.from(page.matchAll(pattern), ([, found]) => found!);
  const ids = all(/ id="([^"]*)"/g);

  test('has examples for curl with the parameters without which they are refused', () => {
    expect(page).toContain('$WAYPOST/api/find?url=https%3A%2F%2Fwww.example.com%2Fshoes');
  });

  test('allows no script, and no style but its own', () => {
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(policy).not.toMatch(/unsafe|script-src|\*/);
    expect(page).not.toMatch(/<script|<style| style=| on\w+=/i);
  });

  test('has a place for every link, once', async () => {
    expect(new Set(ids).size).toBe(ids.length);
    const links = all(/ href="([^"]*)"/g);
    expect(links.length).toBeGreaterThan(100);
    const missing = links.filter((link) => link.startsWith('#') && !ids.includes(link.slice(1)));
    expect(missing).toEqual([]);
    for (const link of new Set(links.filter((link) => !/^(#|data:)/.test(link)))) {
      const { pathname } = new URL(link, `${waypost.apiUrl}/api/docs`);
      expect({ link, status: (await get(pathname)).status }).toEqual({ link, status: 200 });
    }
  });

  test('has every operation, every shape and every error', () => {
    const { paths, components } = readDescription();
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(ids).toEqual(
      expect.arrayContaining([
        ...operations.map(({ operationId }) => operationId),
        ...Object.keys(components.schemas).map((name) => `shape-${name}`),
        ...Object.keys(components.responses).map((name) => `error-${name}`),
      ]),
    );
  });

  test('says its language, and has the landmarks of a page', () => {
    expect(page).toMatch(/^<!doctype html>\s*<html lang="en">/);
    for (const landmark of ['header', 'nav', 'main'])
      expect(all(new RegExp(`<(${landmark})[ >]`, 'g'))).toHaveLength(1);
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
  });
});
