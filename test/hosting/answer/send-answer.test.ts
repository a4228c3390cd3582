import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { constants, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { listingKey, uploadFileKey } from '../../../src/features/sites/site.ts';
import { once, SOON } from '../../support/soon.ts';
import { parseAnswer, rawExchange } from '../exchange.ts';
import { publishSite } from '../hosted-site.ts';
import { HOSTNAME, type RunningHosting, startHosting } from '../start-hosting.ts';

/** A file that exceeds all buffers between two sockets of one machine. */
const HUGE = `<urlset>${randomBytes(8_000_000).toString('hex')}</urlset>`;
const LARGE = `<urlset>${randomBytes(200_000).toString('hex')}</urlset>`;
const FILE_KEY = uploadFileKey('u', 1);

const publish = (hosting: RunningHosting, xml: string) =>
  publishSite(hosting.storage, { sitemaps: [{ uploadId: 'u', files: [xml] }] });

describe('a failure after the head leaves the answer visibly incomplete', () => {
  test.each(['breaks in mid-stream', 'stalls in mid-stream'] as const)('a store that %s', async (fault) => {
    await using hosting = await startHosting({ maxCachedFileBytes: 0, storageTimeoutMs: 500 });
    await publish(hosting, HUGE);
    for (const encoding of ['gzip', 'identity']) {
      hosting.faults.fault = () => 'none';
      const request = `GET /sitemap.xml HTTP/1.1\r\nHost: ${HOSTNAME}\r\nAccept-Encoding: ${encoding}\r\n\r\n`;
      // The head is here before the store fails.
      const bytes = await rawExchange(hosting.port, request, () => {
        hosting.faults.fault = (key) => (key === FILE_KEY ? fault : 'none');
      });
      const { status, headers, body } = parseAnswer(bytes);
      expect(status).toBe(200);
      expect(body.length).toBeLessThan(Number(headers['content-length']));
    }
  });

  test.each([
    ['shorter than the listing says', (xml: string) => compress(xml.slice(1))],
    ['longer than the listing says', (xml: string) => compress(`${xml} `)],
    ['of a wrong checksum', (xml: string) => corruptChecksum(compress(xml))],
  ])('XML that is %s', async (_, damage) => {
    await using hosting = await startHosting();
    await publish(hosting, HUGE);
    await replaceFile(hosting, damage(HUGE));
    const { headers, body } = await hosting.get('/sitemap.xml');
    expect(body.length).toBeLessThan(Number(headers['content-length']));
    expect(hosting.logged.map(({ message }) => message)).toEqual(['answer cut short']);

    // If the file is small, or is inflated for a part, the damage shows before anything is sent.
    const part = await hosting.get('/sitemap.xml', 'Range: bytes=0-0');
    expect(part.status).toBe(503);
    await publish(hosting, LARGE);
    await replaceFile(hosting, damage(LARGE));
    hosting.clock.now += 1_000;
    expect((await hosting.get('/sitemap.xml')).status).toBe(503);
  });
});

test.each(['gzip', 'identity'])(
  'a client of %s that leaves in the middle is no error, and nothing more is read for it',
  async (encoding) => {
    await using hosting = await startHosting({ maxCachedFileBytes: 0 });
    await publish(hosting, HUGE);
    const connected = once(hosting.server, 'connection');
    const socket = connect(hosting.port, '127.0.0.1');
    socket.write(`GET /sitemap.xml HTTP/1.1\r\nHost: ${HOSTNAME}\r\nAccept-Encoding: ${encoding}\r\n\r\n`);
    const [serverSide] = await connected;
    await once(socket, 'readable');
    const closed = new Promise<void>((resolve) => serverSide.once('close', () => resolve()));
    socket.resetAndDestroy();
    await closed;
    const read = hosting.faults.asked.length;
    expect((await hosting.get('/healthz')).status).toBe(200);
    expect(hosting.faults.asked.length).toBeLessThanOrEqual(read + 1);
    expect(hosting.logged.map(({ details }) => details)).toEqual([]);
  },
);

test.each([
  ['makes no progress', { stallTimeoutMs: 20 }],
  ['is too slow', { slowReaderGraceMs: 0, minBytesPerSecond: 1e9 }],
])('a reader that %s is cut', async (_, limits) => {
  await using hosting = await startHosting(limits);
  await publish(hosting, HUGE);
  const connected = once(hosting.server, 'connection');
  const socket = connect(hosting.port, '127.0.0.1').on('error', () => {});
  socket.pause();
  socket.write(`GET /sitemap.xml HTTP/1.1\r\nHost: ${HOSTNAME}\r\nAccept-Encoding: gzip\r\n\r\n`);
  const [serverSide] = await connected;
  await once(serverSide, 'close');
  socket.destroy();
});

test('a refused body is read for a moment, so that its sender gets the answer', async () => {
  await using hosting = await startHosting();
  const half = Buffer.alloc(4_000_000);
  const isReadWhole = async () => {
    const asked = once(hosting.server, 'request') as Promise<[IncomingMessage]>;
    const socket = connect(hosting.port, '127.0.0.1');
    socket.write(`POST /sitemap.xml HTTP/1.1\r\nHost: ${HOSTNAME}\r\nContent-Length: 8000000\r\n\r\n`);
    socket.write(half);
    const [request] = await asked;
    socket.end(half);
    const answer = Buffer.concat(await socket.toArray()).toString();
    expect(answer).toMatch(/^HTTP\/1.1 405 /);
    expect(answer).toContain('Connection: close');
    return request.complete;
  };
  // On a busy machine the moment is over before the body is there.
  await expect.poll(isReadWhole, SOON).toBe(true);
});

/** Random digits have no repetitions to search for. */
function compress(xml: string): Buffer {
  return gzipSync(xml, { strategy: constants.Z_HUFFMAN_ONLY });
}

function corruptChecksum(gzip: Buffer): Buffer {
  // The last eight bytes are CRC-32 and length (RFC 1952 section 2.3.1).
  gzip[gzip.length - 8] = (gzip[gzip.length - 8] ?? 0) ^ 1;
  return gzip;
}

/** Replaces the bytes of the file. The listing knows their length but not their content. */
async function replaceFile({ storage }: RunningHosting, gzip: Buffer): Promise<void> {
  await storage.put(FILE_KEY, [gzip]);
  const listing = await storage.get(listingKey('u'));
  const parsed = JSON.parse(Buffer.concat((await listing?.body.toArray()) ?? []).toString());
  parsed.files[0].gzipBytes = gzip.length;
  await storage.put(listingKey('u'), [Buffer.from(JSON.stringify(parsed))]);
}
