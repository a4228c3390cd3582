/** Spec D12, D14 and D22: configurable limits, here with small values. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { callApi, createCustomer } from './support/customer.ts';
import { bulkyAt, entries, inPieces } from './support/entries.ts';
import { storedObjects } from './support/store.ts';
import { useOwnWaypost } from './support/use-waypost.ts';

const MAX_BODY_BYTES = 2048;
const MAX_UPLOAD_BYTES = 1024 * 1024;
const AUTH_FAILURES_PER_MINUTE = 5;

/** A search engine whose answers the test sets. `pings` holds the targets of its requests. */
const pings: string[] = [];
let pingStatus: number | 'hang up' = 200;
const engine = createServer((request, response) => {
  pings.push(request.url ?? '');
  if (pingStatus === 'hang up') request.socket.destroy();
  else response.writeHead(pingStatus, { Location: '/elsewhere' }).end('thanks');
}).listen(0, '127.0.0.1');
await once(engine, 'listening');
afterAll(() => void engine.close());

const waypost = await useOwnWaypost(
  {
    MAX_BODY_BYTES: String(MAX_BODY_BYTES),
    MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES),
    AUTH_FAILURES_PER_MINUTE: String(AUTH_FAILURES_PER_MINUTE),
    PING_URL: `http://127.0.0.1:${(engine.address() as AddressInfo).port}/ping?from=waypost`,
    PLANS: '{"starter":{"requestsPerMinute":1000,"urlsPerUpload":7}}',
  },
  (line) => line.includes('client blocked'),
);
const customer = await createCustomer(waypost);
const { hostname } = await customer.verifiedDomain();
await customer.publish({ domain: hostname, urls: entries(1) });
const old = (await fetchFile(waypost, hostname, '/sitemap.xml')).body;
const oldObjects = await storedObjects(waypost.dataDir, 'uploads/');

/** A document of exactly `bytes` bytes. */
function sized(document: object, bytes: number): Buffer {
  return Buffer.from(JSON.stringify(document).padEnd(bytes));
}

const framings: [string, (body: Buffer) => unknown][] = [
  ['with Content-Length', (body) => body],
  ['without Content-Length', (body) => inPieces(body, 50_000)],
];

describe.each(framings)('spec D14 413 %s', (_framing, framed) => {
  test('for an upload that is one byte too long', async () => {
    const document = { domain: hostname, sitemapName: 'large', urls: entries(3000) };
    const answer = await customer.upload(framed(sized(document, MAX_UPLOAD_BYTES + 1)));
    expect(answer.status).toBe(413);
    expect(answer.json.error.code).toBe('PAYLOAD_TOO_LARGE');
    expect((await customer.upload(framed(sized(document, MAX_UPLOAD_BYTES)))).status).toBe(200);

    const { json } = await customer.call('GET /api/domains');
    await customer.call(`DELETE /api/domains/${json.data[0].id}/sitemaps/large`);
    expect((await fetchFile(waypost, hostname, '/sitemap.xml')).body).toEqual(old);
  });

  test('for a new domain whose body is one byte too long', async () => {
    const over = sized({ hostname: 'too-long.example.com' }, MAX_BODY_BYTES + 1);
    const answer = await customer.call('POST /api/domains', { body: framed(over) });
    expect({ status: answer.status, code: answer.json.error.code }).toEqual({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
    });
    const just = sized({ hostname: `${_framing.replaceAll(' ', '-')}.example.com` }, MAX_BODY_BYTES);
    expect((await customer.call('POST /api/domains', { body: framed(just) })).status).toBe(201);
  });
});

test.each([
  ['when decompressed', {}],
  ['as it is sent', { level: 0 }],
])('spec D14 413 for a document in gzip that is too long %s', async (what, options) => {
  const document = { domain: hostname, urls: entries(12_000, bulkyAt) };
  const body = gzipSync(JSON.stringify(document), options);
  expect(body.length > MAX_UPLOAD_BYTES).toBe(what === 'as it is sent');
  const { status, json } = await customer.upload(body, { headers: { 'Content-Encoding': 'gzip' } });
  expect({ status, code: json.error.code }).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
});

test('spec D14 an upload that is too long leaves nothing staged', async () => {
  const document = { domain: hostname, sizeLimit: 'gsc-optimized', urls: entries(3000) };
  const before = await storedObjects(waypost.dataDir, 'uploads/');
  const answer = await customer.upload(inPieces(sized(document, MAX_UPLOAD_BYTES + 100_000), 50_000));
  expect(answer.status).toBe(413);
  await vi.waitFor(
    async () => expect(await storedObjects(waypost.dataDir, 'uploads/')).toEqual(before),
    SOON,
  );
  expect(before).toEqual(expect.arrayContaining(oldObjects));
});

describe('spec D22 the ping', () => {
  let count = 0;
  /** Each upload has another list: one that changes nothing sends no ping. */
  const ping = async (urlCount = ++count) => {
    const data = await customer.publish({
      domain: hostname,
      sitemapName: 'p',
      pingSearch: true,
      urls: entries(urlCount),
    });
    return data.searchPing;
  };
  const pingedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

  test('sends the address of the sitemap, and succeeds if the answer is a success', async () => {
    pings.length = 0;
    pingStatus = 200;
    expect(await ping()).toEqual({ status: 'success', pingedAt });
    const sitemap = encodeURIComponent(`http://${hostname}/sitemap-p.xml`);
    expect(pings).toEqual([`/ping?from=waypost&sitemap=${sitemap}`]);
  });

  test.each([404, 410, 500, 302, 'hang up'] as const)(
    'fails with %s, and the upload does not',
    async (status) => {
      pingStatus = status;
      expect(await ping()).toEqual({ status: 'failed', pingedAt });
    },
  );

  test('is not sent unless the upload asks for it, is accepted and changes something', async () => {
    pings.length = 0;
    await customer.publish({ domain: hostname, sitemapName: 'p', urls: entries(20) });
    expect(await ping(20)).toEqual({ status: 'skipped', pingedAt });
    await customer.upload({ domain: hostname, pingSearch: true, urls: [{ loc: 'x' }] });
    expect(pings).toEqual([]);
  });
});

test('spec D11 PLANS overrides single limits of a plan', async () => {
  const starter = await createCustomer(waypost, 'starter');
  const { hostname: own } = await starter.createDomain();
  const seven = await starter.upload({ domain: own, urls: entries(7) });
  expect(seven.status).toBe(200);
  expect(seven.headers['ratelimit-limit']).toBe('1000');
  const eight = await starter.upload({ domain: own, urls: entries(8) });
  expect({ status: eight.status, field: eight.json.error.details.field }).toEqual({
    status: 422,
    field: 'urls',
  });
  await starter.createDomain();
  await starter.createDomain();
  const fourth = await starter.call('POST /api/domains', { body: { hostname: 'fourth.example.com' } });
  expect(fourth.status).toBe(422);
});

test('spec D12 failed authentications are limited per client address, and good keys continue', async () => {
  const attempt = () =>
    callApi(waypost, 'GET /api/domains', { headers: { 'X-API-Key': `sk_live_${'x'.repeat(32)}` } });
  for (let n = 0; n < AUTH_FAILURES_PER_MINUTE; n++) expect((await attempt()).status).toBe(401);
  const { status, headers, json } = await attempt();
  expect({ status, code: json.error.code }).toEqual({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  expect((await customer.call('GET /api/domains')).status).toBe(200);
});
