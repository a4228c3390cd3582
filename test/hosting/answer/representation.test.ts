/** The answer for one file by the client's encodings, ranges and HEAD. */
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listingKey, siteKey } from '../../../src/features/sites/site.ts';
import { exchange } from '../exchange.ts';
import { etagOf, LAST_MODIFIED_HTTP, publishSite } from '../hosted-site.ts';
import { HOSTNAME, type RunningHosting, startHosting } from '../start-hosting.ts';

const XML = '<urlset>the only file</urlset>';
const ETAG = etagOf(XML);

let hosting: RunningHosting;
beforeAll(async () => {
  hosting = await startHosting();
  await publishSite(hosting.storage, { sitemaps: [{ uploadId: 'upload_one', files: [XML] }] });
});
afterAll(() => hosting[Symbol.asyncDispose]());

describe('encodings', () => {
  test.each([
    ['gzip', 'gzip'],
    ['*', 'gzip'],
    ['gzip;q=0', undefined],
    ['br', undefined],
    ['', undefined],
  ])('Accept-Encoding: %s → %s', async (accepted, encoding) => {
    const { headers, body } = await hosting.get('/sitemap.xml', `Accept-Encoding: ${accepted}`);
    expect(headers['content-encoding']).toBe(encoding);
    expect((encoding === 'gzip' ? gunzipSync(body) : body).toString()).toBe(XML);
  });

  test('406 for a client that accepts neither', async () => {
    const { status, headers } = await hosting.get('/sitemap.xml', 'Accept-Encoding: identity;q=0');
    expect(status).toBe(406);
    expect(headers.vary).toBe('Accept-Encoding');
  });

  test('the entity tag of one encoding does not match the other', async () => {
    const { status } = await hosting.get('/sitemap.xml', 'Accept-Encoding: gzip', `If-None-Match: "${ETAG}"`);
    expect(status).toBe(200);
  });
});

describe('ranges', () => {
  test.each([
    ['bytes=0-3', XML.slice(0, 4), `bytes 0-3/${XML.length}`],
    ['bytes=4-', XML.slice(4), `bytes 4-${XML.length - 1}/${XML.length}`],
    ['bytes=-5', XML.slice(-5), `bytes ${XML.length - 5}-${XML.length - 1}/${XML.length}`],
    ['bytes=2-9999', XML.slice(2), `bytes 2-${XML.length - 1}/${XML.length}`],
  ])('%s of the XML', async (range, text, contentRange) => {
    const { status, headers, body } = await hosting.get('/sitemap.xml', `Range: ${range}`);
    expect([status, headers['content-range'], headers['content-length'], body.toString()]).toEqual([
      206,
      contentRange,
      String(text.length),
      text,
    ]);
  });

  test('ranges of gzip are ranges of the gzip bytes', async () => {
    const whole = await hosting.get('/sitemap.xml', 'Accept-Encoding: gzip');
    const first = await hosting.get('/sitemap.xml', 'Accept-Encoding: gzip', 'Range: bytes=0-9');
    const rest = await hosting.get('/sitemap.xml', 'Accept-Encoding: gzip', 'Range: bytes=10-');
    expect(Buffer.concat([first.body, rest.body])).toEqual(whole.body);
  });

  test('416 names the length', async () => {
    const { status, headers } = await hosting.get('/sitemap.xml', `Range: bytes=${XML.length}-`);
    expect([status, headers['content-range']]).toEqual([416, `bytes */${XML.length}`]);
  });

  test.each(['bytes=0-1,3-4', 'bytes=3-1', 'lines=0-1', 'bytes=a-b'])('%s is ignored', async (range) => {
    expect((await hosting.get('/sitemap.xml', `Range: ${range}`)).status).toBe(200);
  });

  test('If-Range allows a part only of the state it names', async () => {
    const ask = async (value: string) =>
      (await hosting.get('/sitemap.xml', 'Range: bytes=0-3', `If-Range: ${value}`)).status;
    expect(await ask(`"${ETAG}"`)).toBe(206);
    expect(await ask(LAST_MODIFIED_HTTP)).toBe(206);
    expect(await ask(`W/"${ETAG}"`)).toBe(200);
    expect(await ask(`"${ETAG}-gz"`)).toBe(200);
    expect(await ask('Thu, 15 Jan 2026 10:00:01 GMT')).toBe(200);
  });

  test('a condition that makes the file unnecessary comes first', async () => {
    const { status } = await hosting.get('/sitemap.xml', 'Range: bytes=0-3', `If-None-Match: "${ETAG}"`);
    expect(status).toBe(304);
  });
});

describe('a crawler that knows only dates', () => {
  const CHANGED_AT = Date.parse('2026-02-01T00:00:00Z');
  const publish = (uploadId: string, isIndex: boolean, changedMs: number) =>
    publishSite(dated.storage, {
      sitemaps: [{ uploadId, files: isIndex ? [XML, XML] : [`<urlset>${uploadId}</urlset>`] }],
      lastModified: new Date(changedMs).toISOString(),
    });
  let dated: RunningHosting;
  beforeEach(async () => {
    dated = await startHosting();
  });
  afterEach(() => dated[Symbol.asyncDispose]());
  /** Gets the sitemap as it is `afterMs` after CHANGED_AT, with the date of an answer before. */
  const get = (afterMs: number, since?: string) => {
    dated.clock.now = CHANGED_AT + afterMs;
    return dated.get('/sitemap.xml', ...(since === undefined ? [] : [`If-Modified-Since: ${since}`]));
  };

  test('gets the second of two publications of the same second', async () => {
    await publish('first', false, CHANGED_AT);
    const first = await get(200);
    expect(first.headers['last-modified']).toBe('Sat, 31 Jan 2026 23:59:59 GMT');
    await publish('second', false, CHANGED_AT);
    const second = await get(1_500, first.headers['last-modified']);
    expect([second.status, second.body.toString()]).toEqual([200, '<urlset>second</urlset>']);
    // Another process may still show the first one, so the date may not name the second one yet.
    expect((await get(59_999, second.headers['last-modified'])).status).toBe(200);
    const settled = await get(60_000, second.headers['last-modified']);
    expect([settled.status, settled.headers['last-modified']]).toEqual([
      200,
      'Sun, 01 Feb 2026 00:00:00 GMT',
    ]);
    expect((await get(90_000, settled.headers['last-modified'])).status).toBe(304);
  });

  test('gets a file whose date is earlier, because the sitemap was an index meanwhile', async () => {
    await publish('index', true, CHANGED_AT + 1_000);
    const index = await get(100_000);
    await publish('one', false, CHANGED_AT);
    expect((await get(200_000, index.headers['last-modified'])).status).toBe(200);
  });

  test('gets no date to come', async () => {
    await publish('ahead', false, CHANGED_AT + 30_000);
    expect((await get(700)).headers['last-modified']).toBe('Sat, 31 Jan 2026 23:59:59 GMT');
  });
});

describe('HEAD', () => {
  const head = (path: string, ...lines: string[]) =>
    exchange(
      hosting.port,
      [`HEAD ${path} HTTP/1.1`, `Host: ${HOSTNAME}`, 'Connection: close', ...lines, '', ''].join('\r\n'),
    );

  test.each(['/sitemap.xml', '/sitemap-index.xml', '/robots.txt', '/sitemap.css', '/unknown', '/healthz'])(
    '%s has the head of GET and no body',
    async (path) => {
      const answer = await head(path);
      expect(answer.head).toBe((await hosting.get(path)).head);
      expect(answer.body.length).toBe(0);
    },
  );

  test('knows no ranges', async () => {
    expect((await head('/sitemap.xml', 'Range: bytes=0-3')).status).toBe(200);
  });

  test('asks storage for no file', async () => {
    await using cold = await startHosting();
    await publishSite(cold.storage, { sitemaps: [{ uploadId: 'u', files: [XML] }] });
    const answer = await exchange(
      cold.port,
      `HEAD /sitemap.xml HTTP/1.1\r\nHost: ${HOSTNAME}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(200);
    expect(cold.faults.asked).toEqual([siteKey(HOSTNAME), listingKey('u')]);
  });
});
