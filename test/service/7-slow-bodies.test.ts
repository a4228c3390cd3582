/** Bodies that stop, over HTTP. test/web/watch-pace.test.ts covers how rates are counted. */
import { createGzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { once } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { head, lastJson, openConnection } from './support/raw-connection.ts';
import { useOwnWaypost } from './support/use-waypost.ts';

const waypost = await useOwnWaypost({
  UPLOAD_STALL_TIMEOUT_MS: '5000',
  UPLOAD_MIN_BYTES_PER_SECOND: '10000',
});
const customer = await createCustomer(waypost);
const { hostname } = await customer.verifiedDomain();

const beginning = `{"domain":"${hostname}","urls":[{"loc":"https://example.com/"}`;
const headers = {
  Host: 'api',
  'X-API-Key': customer.key,
  'Content-Type': 'application/json',
  'Transfer-Encoding': 'chunked',
};
const chunk = (bytes: string | Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), Buffer.from(bytes), Buffer.from('\r\n')]);

test.each([
  ['after its beginning', beginning],
  ['before its beginning', undefined],
])('408 with the numbers answers an upload that stops %s', async (_what, text) => {
  await using connection = await openConnection(waypost.apiUrl);
  connection.write(head('POST /api/sitemap/generate', headers));
  if (text !== undefined) connection.write(chunk(text));
  const [, status] = await connection.receives(/^HTTP\/1\.1 (\d+)[\s\S]*connection: close[\s\S]*\}\}$/i);
  expect(status).toBe('408');
  const { error } = lastJson(connection.received());
  expect(error).toEqual({
    code: 'REQUEST_TIMEOUT',
    message:
      `The request body stalled: after ${text?.length ?? 0} bytes nothing came for 5 s; ` +
      'pauses must be shorter than 5 s (UPLOAD_STALL_TIMEOUT_MS).',
  });
  await connection.closed();
  expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(404);
});

test('408 answers a slow plain upload, and a gzip upload of the same pace succeeds', async () => {
  const tooSlow = await slowUpload((blanks) => blanks.slice(0, 10));
  expect(tooSlow).toMatchObject({ status: 408, error: { code: 'REQUEST_TIMEOUT' } });
  expect(tooSlow.error.message).toMatch(
    /\d+ bytes, decompressed, in 5 s; the minimum is 10000 bytes.*UPLOAD_MIN_BYTES_PER_SECOND/,
  );

  const gzip = createGzip();
  const compressed = async (blanks: string) => {
    gzip.write(blanks);
    await new Promise<void>((flushed) => gzip.flush(() => flushed()));
    return gzip.read() as Buffer;
  };
  // The gzip upload continues until the plain one is refused.
  const rival = slowUpload((blanks) => blanks.slice(0, 10)).then(() => {
    isOver = true;
  });
  let isOver = false;
  const answer = await slowUpload(
    compressed,
    { 'Content-Encoding': 'gzip' },
    () => isOver,
    async () => {
      gzip.end(']}');
      await once(gzip, 'readable');
      return gzip.read() as Buffer;
    },
  );
  await rival;
  expect(answer).toMatchObject({ status: 200, data: { urlCount: 1 } });
});

/** Sends a piece made of 20,000 blanks at intervals, until the server answers or `isOver`. */
async function slowUpload(
  pieceOf: (blanks: string) => string | Buffer | Promise<Buffer>,
  more: Record<string, string> = {},
  isOver = () => false,
  ending = async (): Promise<string | Buffer> => ']}',
) {
  await using connection = await openConnection(waypost.apiUrl);
  connection.write(head('POST /api/sitemap/generate', { ...headers, ...more }));
  const answered = connection.receives(/^HTTP\/1\.1 (\d+)[\s\S]*\r\n\r\n(\{[\s\S]*\})$/);
  connection.write(chunk(await pieceOf(beginning.padEnd(20_000))));
  const timer = setInterval(async () => {
    if (!isOver()) return connection.write(chunk(await pieceOf(' '.repeat(20_000))));
    clearInterval(timer);
    connection.write(chunk(await ending()));
    connection.write('0\r\n\r\n');
  }, 500);
  const [, status, text = ''] = await answered.finally(() => clearInterval(timer));
  return { status: Number(status), ...JSON.parse(text) };
}
