/** Gzip uploads: which are accepted, and which abuse of compression is refused. */

import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchLocs } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { entries, inPieces } from './support/entries.ts';
import { storedUploads } from './support/store.ts';
import { useWaypost } from './support/use-waypost.ts';

const MiB = 1024 * 1024;
const waypost = await useWaypost({ MAX_UPLOAD_BYTES: String(8 * MiB) });
const customer = await createCustomer(waypost);
const { hostname } = await customer.verifiedDomain();
const upload = (body: Uint8Array | Iterable<Uint8Array>, encoding = 'gzip') =>
  customer.upload(body, { headers: { 'Content-Encoding': encoding } });
const documentOf = (count: number, padding = '') =>
  Buffer.from(padding + JSON.stringify({ domain: hostname, force: true, urls: entries(count) }));

test.each(['gzip', 'GZIP', 'x-gzip'])('4.5 a body in %s is decompressed', async (encoding) => {
  const { status, json } = await upload(gzipSync(documentOf(5000)), encoding);
  expect({ status, urlCount: json.data?.urlCount }).toEqual({ status: 200, urlCount: 5000 });
  const sent = entries(5000).map((entry) => (entry as { loc: string }).loc);
  expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toEqual(sent);
});

test('4.5 a gzip body may come in small chunks and in several members', async () => {
  const whole = documentOf(300);
  expect((await upload(inPieces(gzipSync(whole), 7))).status).toBe(200);
  const members = [gzipSync(whole.subarray(0, 1000)), gzipSync(whole.subarray(1000))];
  expect((await upload(Buffer.concat(members))).status).toBe(200);
});

test('4.1 a new domain may come in gzip too', async () => {
  const body = gzipSync('{"hostname":"192.0.2.1"}');
  const { status, json } = await customer.call('POST /api/domains', {
    body,
    headers: { 'Content-Encoding': 'gzip' },
  });
  expect({ status, field: json.error.details.field }).toEqual({ status: 422, field: 'hostname' });
});

const compressed = gzipSync(documentOf(2000));
test.each([
  ['cut short', compressed.subarray(0, compressed.length / 2), 400],
  ['cut in its trailer', compressed.subarray(0, -1), 400],
  ['empty', new Uint8Array(0), 400],
  ['not gzip', documentOf(3), 400],
  ['damaged', Buffer.from(compressed).fill(0xff, 200, 220), 400],
  [
    'with a false checksum',
    Buffer.from(compressed).fill(0, compressed.length - 8, compressed.length - 4),
    400,
  ],
  ['followed by something else', Buffer.concat([compressed, Buffer.from('more')]), 400],
  ['larger than the limit when decompressed', gzipSync(noise(9 * MiB)), 413],
  ['larger than the limit as it is sent', gzipSync(noise(9 * MiB), { level: 0 }), 413],
  ['compressed more than 200 to 1', gzipSync(documentOf(1, ' '.repeat(4 * MiB)), { level: 9 }), 413],
])('spec D14 a body that is %s is refused', async (_what, body, expected) => {
  const { status, json } = await upload(body);
  const code = expected === 413 ? 'PAYLOAD_TOO_LARGE' : 'BAD_REQUEST';
  expect({ status, code: json.error.code }).toEqual({ status: expected, code });
});

test('the first MiB may compress to nearly nothing', async () => {
  const body = gzipSync(documentOf(1, ' '.repeat(MiB - 1000)), { level: 9 });
  expect(body.length).toBeLessThan(MiB / 200);
  expect((await upload(body)).status).toBe(200);
});

test('a refused upload leaves nothing staged', async () => {
  const before = await storedUploads(waypost.dataDir);
  expect((await upload(compressed.subarray(0, -1))).status).toBe(400);
  await vi.waitFor(async () => expect(await storedUploads(waypost.dataDir)).toEqual(before), SOON);
});

/** A document over its limit that compresses by less than 200 to 1. */
function noise(bytes: number): Buffer {
  let text = `{"domain":"${hostname}","urls":[{"loc":"https://example.com/"}`;
  for (let i = 1; text.length < bytes; i++) {
    text += `,{"loc":"https://example.com/${(i * 2654435761) % 4294967296}"}`;
  }
  return Buffer.from(text);
}
