/**
 * Each header that we read, filled with nearly as many bytes as Node takes for all headers (16 KiB), of the
 * kind that costs a careless reader most. Each request gets its correct answer. 8-refused-callers.test.ts has X-Forwarded-For.
 */
import { expect, test } from 'vitest';
import { createCustomer } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { head, openConnection } from './support/raw-connection.ts';
import { useWaypost } from './support/use-waypost.ts';

/** Leaves room for the other lines. */
const BYTES = 15_800;

const waypost = await useWaypost();
const customer = await createCustomer(waypost);
const { hostname } = await customer.verifiedDomain();
await customer.publish({ domain: hostname, urls: entries(1) });

/** Repeats `text` between `before` and `after` as often as it fits. */
function filled(before: string, text: string, after = ''): string {
  const room = BYTES - before.length - after.length;
  return before + text.repeat(Math.floor(room / text.length)) + after;
}

async function statusOf(url: string, line: string, headers: Record<string, string>): Promise<number> {
  await using connection = await openConnection(url);
  connection.write(Buffer.from(head(line, headers), 'latin1'));
  const [, status] = await connection.receives(/^HTTP\/1\.1 (\d+) /);
  return Number(status);
}

const blanks = ' ';
type Row = [header: string, value: string, hosting: number, api: number];

const rows: Row[] = [
  ['Accept-Encoding', filled('gzip', blanks, 'x'), 200, 200],
  ['Accept-Encoding', filled('gzip;', blanks, 'q=1'), 200, 200],
  ['Accept-Encoding', filled('', 'gzip;q=0,'), 200, 200],
  ['Accept-Encoding', filled('', ','), 200, 200],
  ['Accept-Encoding', filled('identity;q=0', ',*;q=0'), 406, 200],
  ['Range', filled('bytes=', blanks, 'x'), 200, 200],
  ['Range', filled('bytes=', '0', '-0'), 206, 200],
  ['Range', filled('bytes=', '9', '-'), 416, 200],
  ['Range', filled('bytes=0-0', ',0-0'), 200, 200],
  ['If-Range', filled('"', 'x'), 200, 200],
  ['If-Range', filled('Sun, ', '0'), 200, 200],
  ['If-Match', filled('"a"', ',"a"'), 412, 200],
  ['If-Match', filled('"a"', ' ,', 'x'), 412, 200],
  ['If-Match', filled('', 'W/"'), 412, 200],
  ['If-None-Match', filled('"a"', ',W/"a"'), 200, 200],
  ['If-None-Match', filled('"a"', '\t,', '"'), 200, 200],
  ['If-None-Match', filled('', '"'), 200, 200],
  ['If-Modified-Since', filled('Sun, ', '0', ' GMT'), 200, 200],
  ['If-Modified-Since', filled('', blanks, 'x'), 200, 200],
  ['If-Unmodified-Since', filled('Sunday, ', 'a', ' GMT'), 200, 200],
  ['Host', filled('', 'a.'), 404, 200],
  ['Host', filled('', 'a', ':1x'), 400, 400],
  ['Host', filled('[', ':', 'x]'), 400, 400],
  ['Host', filled('a:', '9'), 400, 400],
  ['Expect', filled('100-continue', blanks, 'x'), 417, 417],
  ['Transfer-Encoding', filled('', 'chunked,', 'chunked'), 400, 400],
  ['Transfer-Encoding', filled('gzip', blanks, ',chunked'), 501, 501],
  ['Content-Type', filled('application/json', blanks, 'x'), 200, 200],
  ['Content-Encoding', filled('gzip', blanks, 'x'), 200, 200],
  ['Authorization', filled('Bearer', blanks, 'x'), 200, 401],
  ['Authorization', filled('Bearer ', 'a'), 200, 401],
  ['Connection', filled('close', ',close'), 200, 200],
  ['Connection', filled('', blanks, 'upgrade'), 200, 200],
];

test.each(rows)('the longest %s is answered (%#)', async (header, value, hosting, api) => {
  const more = header === 'If-Range' ? { Range: 'bytes=0-0' } : {};
  const toHosting = { Host: hostname, ...more, [header]: value };
  const toApi = { Host: 'api', 'X-API-Key': customer.key, [header]: value };
  expect({
    hosting: await statusOf(waypost.hostingUrl, 'GET /sitemap.xml', toHosting),
    api: await statusOf(waypost.apiUrl, 'GET /api/domains', toApi),
  }).toEqual({ hosting, api });
});

test.each([
  [filled('/', 'a'), 404, 404],
  [filled('/sitemap.xml?', 'a=&'), 200, 404],
  [filled('/api/domains?cursor=', '%00'), 404, 400],
  [filled('/api/domains/', '%2f'), 404, 404],
  [filled('/', '/'), 404, 404],
  [filled('http://', 'a', '/'), 400, 400],
  [filled('http://', 'a:', '@/'), 400, 400],
  [filled('/sitemap-', 'a', '.xml'), 404, 404],
])('the longest target is answered (%#)', async (target, hosting, api) => {
  const key = { 'X-API-Key': customer.key };
  expect({
    hosting: await statusOf(waypost.hostingUrl, `GET ${target}`, { Host: hostname }),
    api: await statusOf(waypost.apiUrl, `GET ${target}`, { Host: 'api', ...key }),
  }).toEqual({ hosting, api });
});

test.each([
  ['Content-Type', filled('application/json', blanks, 'x'), 400],
  ['Content-Type', filled('application/json;', blanks, 'charset=utf-8x'), 400],
  ['Content-Encoding', filled('x-gzip', blanks, 'x'), 400],
  ['X-API-Key', filled('sk_live_', 'a'), 401],
  ['X-API-Key', filled('sk_live_', blanks, 'a'), 401],
])('the longest %s of a request with a body is answered (%#)', async (header, value, status) => {
  const fields = { Host: 'api', 'Content-Type': 'application/json', 'Content-Length': '2' };
  const headers = { ...fields, 'X-API-Key': customer.key, [header]: value };
  expect(await statusOf(waypost.apiUrl, 'POST /api/domains', headers)).toBe(status);
});
