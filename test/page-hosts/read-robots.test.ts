import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readRobots } from '../../src/features/page-hosts/read-robots.ts';
import { createAskOutside } from '../../src/platform/http/outbound.ts';
import { startRobots } from '../support/start-robots.ts';

const hosts = await startRobots();
const ask = createAskOutside({ allowedRanges: ['127.0.0.0/8'] });
const line = 'Sitemap: https://sitemaps.example.com/sitemap.xml';
const found = { kind: 'read', sitemaps: ['https://sitemaps.example.com/sitemap.xml'], disallowed: [] };

let n = 0;
type Answer = Parameters<typeof hosts.robots.set>[1];

/** Reads the robots.txt of a new host with this answer. */
function read(answer: Answer, signal = new AbortController().signal) {
  const origin = hosts.origin(n++);
  hosts.robots.set(origin, answer);
  return readRobots(ask, origin, signal);
}

/** Redirects `times` times, from host to host. */
function redirecting(times: number): Answer {
  return (response, { url = '' }) => {
    const done = Number(new URL(url, 'http://any').searchParams.get('done'));
    if (done === times) response.end(line);
    else response.writeHead(301, { Location: `/robots.txt?done=${done + 1}` }).end();
  };
}

test('5 redirects are followed, 6 or a loop mean that there is no robots.txt', async () => {
  expect(await read(redirecting(5))).toEqual(found);
  expect(await read(redirecting(6))).toMatchObject({
    kind: 'absent',
    why: expect.stringContaining('redirects'),
  });
  const loop: Answer = (response) => response.writeHead(302, { Location: '/robots.txt' }).end();
  expect(await read(loop)).toMatchObject({ kind: 'absent' });
});

test('a redirect may lead to another host, but not to a private address', async () => {
  const elsewhere = hosts.origin(n++);
  hosts.robots.set(elsewhere, line);
  expect(
    await read((response) => response.writeHead(308, { Location: `${elsewhere}/robots.txt` }).end()),
  ).toEqual(found);
  const toPrivate: Answer = (response) =>
    response.writeHead(302, { Location: 'http://10.1.2.3/robots.txt' }).end();
  expect(await read(toPrivate)).toMatchObject({
    kind: 'unreachable',
    why: expect.stringContaining('not public'),
  });
});

test.each([400, 401, 403, 404, 410, 451])('with %d there is no robots.txt', async (status) => {
  const why = `the status is ${status}`;
  expect(await read((response) => response.writeHead(status).end(line))).toEqual({ kind: 'absent', why });
});

test.each([304, 429, 500, 503])('with %d it is unreachable', async (status) => {
  const why = `the status is ${status}`;
  expect(await read((response) => response.writeHead(status).end())).toEqual({ kind: 'unreachable', why });
});

test('what nobody answers is unreachable', async () => {
  const signal = new AbortController().signal;
  expect(await readRobots(ask, 'http://127.0.0.1:1', signal)).toMatchObject({ kind: 'unreachable' });
  expect(await readRobots(createAskOutside({ allowedRanges: [] }), hosts.origin(n), signal)).toMatchObject({
    kind: 'unreachable',
    why: expect.stringContaining('not public'),
  });
  expect(await read((response) => response.destroy())).toMatchObject({ kind: 'unreachable' });
});

test('when the process ends, nothing is known', async () => {
  const ending = new AbortController();
  const reading = read(() => ending.abort(), ending.signal);
  await expect(reading).rejects.toThrow('given up');
});

const KiB500 = 500 * 1024;
/** Comments of exactly `length` bytes. */
const filler = (length: number) => `#${'x'.repeat(length - 2)}\n`;

test('500 KiB count: a line before their end, not one behind it, nor one that is cut', async () => {
  expect(await read(`${filler(KiB500 - line.length - 1)}${line}\n${filler(9999)}`)).toEqual(found);
  expect(await read(`${filler(KiB500 - line.length)}${line}`)).toEqual(found);
  const nothing = { kind: 'read', sitemaps: [], disallowed: [] };
  expect(await read(`${filler(KiB500)}${line}\n`)).toEqual(nothing);
  expect(await read(`${filler(KiB500 - line.length + 4)}${line}\n`)).toEqual(nothing);
  const cut = 'User-agent: *\nDisallow: /';
  expect(await read(`${filler(KiB500 - cut.length)}${cut}private\n`)).toEqual(nothing);
});

test('a byte order mark, and bytes that are no UTF-8, do no harm', async () => {
  expect(await read(`\ufeff${line}`)).toEqual(found);
  expect(await read(`\ufeffUser-agent: *\nDisallow: /`)).toMatchObject({
    disallowed: ['Googlebot', 'Bingbot'],
  });
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00, 0x0a]), Buffer.from(line)]);
  expect(await read((response) => response.end(bytes))).toEqual(found);
});

describe('a compressed answer, as of a bucket whose files are compressed', () => {
  const encoded =
    (encoding: string, body: Buffer | string): Answer =>
    (response) =>
      response.writeHead(200, { 'Content-Encoding': encoding }).end(body);

  test.each([
    ['gzip', gzipSync],
    ['X-GZip', gzipSync],
    ['br', brotliCompressSync],
  ])('is read in %s', async (encoding, compress) => {
    expect(await read(encoded(encoding, compress(line)))).toEqual(found);
  });

  test.each<[string, string, Buffer]>([
    ['in another encoding', 'zstd', zstdCompressSync(line)],
    ['that is damaged', 'gzip', Buffer.from(line)],
    ['that is cut', 'gzip', gzipSync(line).subarray(0, -10)],
    ['that is a bomb', 'gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ['that is a bomb in br', 'br', brotliCompressSync(Buffer.alloc(1024 * 1024))],
  ])('%s is unreachable', async (_, encoding, body) => {
    expect(await read(encoded(encoding, body))).toEqual({
      kind: 'unreachable',
      why: `it is compressed in a way that we do not read (Content-Encoding: ${encoding})`,
    });
  });

  test('that says it is none is read', async () => {
    expect(await read(encoded('Identity', line))).toEqual(found);
  });
});

test('a line that is longer than any address is dropped', async () => {
  expect(await read(`Sitemap: https://a.example/${'x'.repeat(3000)}\n${line}`)).toEqual(found);
});

test.each([
  ['everything', 'User-agent: *\nDisallow: /', ['Googlebot', 'Bingbot']],
  ['everything, to one', 'User-agent: Bingbot\nDisallow: /*', ['Bingbot']],
  ['everything but the home page', 'User-agent: *\nDisallow: /\nAllow: /$', ['Googlebot', 'Bingbot']],
  ['a folder', 'User-agent: *\nDisallow: /private/', []],
  ['the home page', 'User-agent: *\nDisallow: /$', []],
])('it disallows %s', async (_, text, disallowed) => {
  expect(await read(text)).toMatchObject({ disallowed });
});
