/** The most that a single client can hold or use up, with any requests and any pace of reading. Other clients notice nothing. */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { uploadFileKey } from '../../src/features/sites/site.ts';
import { once, SOON } from '../support/soon.ts';
import { rawExchange } from './exchange.ts';
import { publishSite } from './hosted-site.ts';
import { HOSTNAME, type RunningHosting, startHosting } from './start-hosting.ts';

/** 20 MB of XML, 120 kB of gzip. */
const REPETITIVE = `<urlset>${'<url><loc>https://www.example.com/</loc></url>'.repeat(440_000)}</urlset>`;
/** 16 MB of XML, 8 MB of gzip: more than all buffers between two local sockets hold. */
const HUGE = `<urlset>${randomBytes(8_000_000).toString('hex')}</urlset>`;
const LARGE = `<urlset>${randomBytes(100_000).toString('hex')}</urlset>`;
const FILE_KEY = uploadFileKey('u', 1);

async function publish(hosting: RunningHosting, ...files: string[]): Promise<void> {
  await publishSite(hosting.storage, { sitemaps: [{ uploadId: 'u', files }] });
}

/** A client that sends this request and reads nothing of the answer. */
async function unread({ port, server }: RunningHosting, request: string, localAddress = '127.0.0.1') {
  const accepted = once(server, 'connection');
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await accepted;
  socket.pause();
  socket.write(request);
  return socket;
}

async function endOf(socket: Socket): Promise<string> {
  return Buffer.concat(await socket.toArray()).toString('latin1');
}

const get = (path: string, ...lines: string[]) =>
  [`GET ${path} HTTP/1.1`, `Host: ${HOSTNAME}`, ...lines, '', ''].join('\r\n');
const fetches = ({ faults }: RunningHosting) => faults.asked.filter((key) => key === FILE_KEY).length;
const statusOf = (answer: string) => Number(answer.split(' ')[1]);

test('only one of 90 pipelined requests with unread answers is worked on', async () => {
  await using hosting = await startHosting({ maxCachedFileBytes: 0 });
  await publish(hosting, HUGE);
  const gzip = get('/sitemap.xml', 'Accept-Encoding: gzip');
  const socket = await unread(hosting, gzip.repeat(90));
  await vi.waitFor(() => expect(fetches(hosting)).toBeGreaterThan(1), SOON);
  expect((await hosting.get('/robots.txt')).status).toBe(200);
  // Two pieces of 256 kB and the kernel's buffers, of a first answer of 8 MB: never all of even that one.
  const pieces = Math.ceil(8_000_000 / (256 * 1024));
  expect(fetches(hosting)).toBeLessThan(pieces);
  expect(hosting.faults.openBodies.size).toBeLessThanOrEqual(1);
  socket.destroy();
});

test('a file too large for memory is read in pieces, and no piece waits for its client', async () => {
  await using hosting = await startHosting({ maxCachedFileBytes: 0 });
  await publish(hosting, HUGE);
  const readers = await Promise.all(
    Array.from({ length: 64 }, () => unread(hosting, get('/sitemap.xml', 'Accept-Encoding: gzip'))),
  );
  // One more connection of the same client is refused. A connection of another client is served.
  const own = await rawExchange(
    hosting.port,
    get('/sitemap.xml', 'Accept-Encoding: gzip', 'Connection: close'),
  );
  expect(statusOf(own.toString('latin1', 0, 20))).toBe(503);
  // Every piece that a reader took is read to its end, so no body stays open.
  await vi.waitFor(() => expect(hosting.faults.openBodies.size).toBe(0), SOON);
  const other = await unread(
    hosting,
    get('/sitemap.xml', 'Accept-Encoding: gzip', 'Connection: close'),
    '127.0.0.2',
  );
  const received = Buffer.concat(await other.toArray());
  expect(gunzipSync(received.subarray(received.indexOf('\r\n\r\n') + 4)).toString()).toBe(HUGE);

  // When a reader leaves, its share becomes free.
  const [left] = readers;
  left!.destroy();
  await vi.waitFor(async () => {
    const part = await hosting.get('/sitemap.xml', 'Accept-Encoding: gzip', 'Range: bytes=0-0');
    expect(part.status).toBe(206);
  }, SOON);
});

test('cached files held by slow readers are bounded: beyond the bound they get pieces', async () => {
  await using hosting = await startHosting({ cacheBytes: 400_000 });
  const files = Array.from({ length: 8 }, () => `<urlset>${randomBytes(100_000).toString('hex')}</urlset>`);
  await publish(hosting, ...files);
  const paths = files.map((_, i) => `/sitemap.${i + 1}.xml`);
  const readers: Socket[] = [];
  // Each reader asks for its own file of some 115 kB of gzip.
  for (const path of paths)
    readers.push(await unread(hosting, get(path, 'Accept-Encoding: gzip', 'Connection: close')));
  for (const [i, socket] of readers.entries()) {
    const received = Buffer.concat(await socket.toArray());
    expect(gunzipSync(received.subarray(received.indexOf('\r\n\r\n') + 4)).toString()).toBe(files[i]);
  }
});

test('a file is inflated once for all range requests, and whole answers are inflated piece by piece', async () => {
  await using hosting = await startHosting();
  await publish(hosting, REPETITIVE);
  const ask = (range: string) => hosting.get('/sitemap.xml', `Range: bytes=${range}`);
  const answers = await Promise.all([ask('0-0'), ask('19000000-19000009'), ask('-1'), ask('5-700000')]);
  expect(answers.map(({ status }) => status)).toEqual([206, 206, 206, 206]);
  expect(answers.map(({ body }) => body.toString())).toEqual([
    REPETITIVE.slice(0, 1),
    REPETITIVE.slice(19_000_000, 19_000_010),
    REPETITIVE.slice(-1),
    REPETITIVE.slice(5, 700_001),
  ]);
  expect((await ask('7-8')).body.toString()).toBe(REPETITIVE.slice(7, 9));
  // Requests before the file was in memory miss once each. Memory answers all later ones.
  expect(hosting.counts.inflated.hits).toBeGreaterThan(0);
  expect(fetches(hosting)).toBe(1);
  expect((await hosting.get('/sitemap.xml')).body.toString()).toBe(REPETITIVE);
});

test('a small file is inflated once, and kept', async () => {
  await using hosting = await startHosting();
  await publish(hosting, LARGE);
  for (const _ of [1, 2, 3]) expect((await hosting.get('/sitemap.xml')).body.toString()).toBe(LARGE);
  expect(hosting.counts.inflated).toEqual({ hits: 2, misses: 1 });
});

test('the first of 1,000 pipelined requests are answered, and the connection ends', async () => {
  await using hosting = await startHosting();
  await publish(hosting, LARGE);
  const received = await endOf(await unread(hosting, get('/robots.txt').repeat(1_000)));
  const statuses = received.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
  expect(statuses.length).toBe(101);
  expect(received.match(/Connection: .*/g)?.at(-1)).toBe('Connection: close');
});
