/**
 * The answers to bad uploads (spec 4.5 and spec 7, spec D13 to D16). The old sitemap stays served throughout, and
 * nothing stays staged.
 */
import { Agent } from 'node:http';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { bulkyAt, entries, entryAt, uploadDocument } from './support/entries.ts';
import { head, openConnection } from './support/raw-connection.ts';
import { storedObjects, storedUploads } from './support/store.ts';
import { useOwnWaypost } from './support/use-waypost.ts';

const waypost = await useOwnWaypost();
const customer = await createCustomer(waypost);
const { hostname, id } = await customer.verifiedDomain();
await customer.publish({ domain: hostname, urls: [{ loc: 'https://example.com/old' }] });
const old = await fetchFile(waypost, hostname, '/sitemap.xml');
const stored = () => storedObjects(waypost.dataDir, 'uploads/');
let storedBefore: string[] = [];

beforeEach(async () => {
  storedBefore = await stored();
});

afterEach(async () => {
  const now = await fetchFile(waypost, hostname, '/sitemap.xml');
  expect(now).toMatchObject({ status: 200, body: old.body });
  expect(now.headers.etag).toBe(old.headers.etag);
  const { json } = await customer.call(`GET /api/domains/${id}/sitemaps`);
  expect(json.data).toMatchObject([{ name: 'default', urlCount: 1 }]);
  await vi.waitFor(async () => {
    expect((await stored()).filter((key) => !storedBefore.includes(key))).toEqual([]);
  }, SOON);
});

const invalidAt =
  (bad: number, loc = 'ftp://example.com/') =>
  (i: number) =>
    i === bad ? { loc } : entryAt(i);

describe('4.5 an invalid entry', () => {
  test.each([
    ['first', 0, 20_000],
    ['in the middle', 10_499, 20_000],
    ['at the end of a batch', 999, 20_000],
    ['at the start of a batch', 1000, 20_000],
    ['last', 19_999, 20_000],
    ['far behind', 99_999, 100_000],
    ['alone', 0, 1],
  ])('%s (urls[%i] of %i) is named exactly', async (_where, bad, count) => {
    const { status, json } = await customer.upload(
      uploadDocument({ domain: hostname }, count, invalidAt(bad)),
    );
    expect(status).toBe(422);
    const [field, value] = [`urls[${bad}].loc`, 'ftp://example.com/'];
    const message = expect.stringMatching(/http/);
    const details = { field, value, errors: [{ field, value, message }], errorCount: 1 };
    expect(json.error).toEqual({
      code: 'VALIDATION_ERROR',
      details,
      message: expect.stringContaining(field),
    });
  });

  test('is reported once for each fault, in the order of the document', async () => {
    const urls = entries(3000);
    urls[1700] = { priority: 7, loc: 'x', images: [{ loc: 'y' }] };
    urls[1705] = { loc: 'z' };
    urls[2999] = { loc: 'far behind' };
    const { json } = await customer.upload({ domain: hostname, urls });
    const { field, value, errors, errorCount } = json.error.details;
    expect({ field, value }).toEqual({ field: 'urls[1700].priority', value: 7 });
    const fields = errors.map((error: { field: string }) => error.field);
    expect(fields.slice(0, 4)).toEqual([
      'urls[1700].priority',
      'urls[1700].loc',
      'urls[1700].images[0].loc',
      'urls[1705].loc',
    ]);
    expect(errorCount).toBe(fields.length);
  });

  test('spec D15 the first is reported even if later ones are found sooner', async () => {
    const images = Array.from({ length: 300 }, (_, n) => ({ loc: `https://example.com/${n}.jpg` }));
    // The first batch takes much longer than the others.
    const make = (i: number) => {
      if (i < 1000) return i === 950 ? { loc: 'first' } : { ...entryAt(i), images };
      return i % 1000 === 0 ? { loc: 'later' } : entryAt(i);
    };
    const { json } = await customer.upload(uploadDocument({ domain: hostname }, 8000, make));
    expect(json.error.details).toMatchObject({ field: 'urls[950].loc', value: 'first' });
  });

  test('spec D15 the first 100 faults are listed, and all faults in the part read so far are counted', async () => {
    const { json } = await customer.upload({ domain: hostname, urls: entries(150, () => ({ loc: 'x' })) });
    expect(json.error.details.errors).toHaveLength(100);
    expect(json.error.details.errors[99].field).toBe('urls[99].loc');
    expect(json.error.details.errorCount).toBe(150);
  });

  test('spec D15 is reported before a later fault, and after an earlier one', async () => {
    const bad = JSON.stringify({ loc: 'bad' });
    const faults: [string, string][] = [
      [`{"domain":"${hostname}","urls":[${bad}],"sizeLimit":"huge"}`, 'urls[0].loc'],
      [`{"domain":"${hostname}","sizeLimit":"huge","urls":[${bad}]}`, 'sizeLimit'],
      [`{"domain":"${hostname}","urls":[${bad}],"sitemapName":"index"}`, 'urls[0].loc'],
      [`{"sitemapName":"index","urls":[${bad}]}`, 'sitemapName'],
      [`{"urls":[${bad}],"domain":5}`, 'urls[0].loc'],
    ];
    for (const [body, field] of faults) {
      const { status, json } = await customer.upload(body);
      expect({ body, status, field: json.error.details?.field }).toEqual({ body, status: 422, field });
    }
  });

  test('spec D14 one entry over 4 MiB is refused', async () => {
    const huge = { loc: 'https://example.com/', extra: 'x'.repeat(4 * 1024 * 1024) };
    const { status, json } = await customer.upload({ domain: hostname, urls: [entryAt(0), huge] });
    expect({ status, field: json.error.details.field }).toEqual({ status: 422, field: 'urls[1]' });
  });
});

test('4.5 an invalid member beside urls is refused by its name and value', async () => {
  const urls = entries(1);
  const refused: [body: object, field: string, value: unknown][] = [
    [{ urls }, 'domain', null],
    [{ domain: hostname }, 'urls', null],
    [{ domain: hostname, urls: [] }, 'urls', []],
    [{ domain: hostname, sizeLimit: 'huge', urls }, 'sizeLimit', 'huge'],
    [{ domain: hostname, urls, pingSearch: 1 }, 'pingSearch', 1],
  ];
  for (const [body, field, value] of refused) {
    const { status, json } = await customer.upload(body);
    const { code, details } = json.error;
    expect({ status, code, ...details }).toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
      field,
      value,
    });
  }
});

describe('spec D16 an unknown member', () => {
  const members = `"domain":"${hostname}"`;
  const urls = `"urls":${JSON.stringify(entries(2500))}`;
  const million = Array.from({ length: 1_000_000 }, (_, n) => `"x${n}":${n}`).join();
  test.each<[string, string, string, RegExp]>([
    [
      'before urls',
      `{${members},"sitemap_name":"blog",${urls}}`,
      'sitemap_name',
      /did you mean sitemapName\?$/,
    ],
    [
      'behind urls',
      `{${members},${urls},"sitemapname":"blog"}`,
      'sitemapname',
      /did you mean sitemapName\?$/,
    ],
    ['like no other', `{${members},"x":1,${urls}}`, 'x', /expected one of .*sitemapName.*urls$/],
    ['of an entry', '{"loc":"https://example.com/"}\n{"loc":"https://example.com/a"}\n', 'loc', /x-ndjson$/],
    ['and a million more', `{${million},${members},${urls}}`, 'x0', /not known/],
  ])('is refused: %s', async (_what, body, field, message) => {
    const { status, json } = await customer.upload(body);
    expect({ status, code: json.error?.code }).toEqual({ status: 422, code: 'VALIDATION_ERROR' });
    expect(json.error.details).toEqual({ field, value: null });
    expect(json.error.message).toMatch(message);
  });

  test('is reported after an earlier fault', async () => {
    const body = `{${members},"urls":[{"loc":"bad"}],"x":1}`;
    expect((await customer.upload(body)).json.error.details.field).toBe('urls[0].loc');
    expect((await customer.upload(`{${members},"domain":1,"x":1}`)).status).toBe(400);
  });

  test('is refused in small bodies too', async () => {
    for (const body of ['{"hostName":"a.example.com"}', '{"hostname":"a.example.com","hostName":1}']) {
      const { status, json } = await customer.call('POST /api/domains', { body });
      expect({ status, details: json.error?.details }).toEqual({
        status: 422,
        details: { field: 'hostName', value: null },
      });
      expect(json.error.message).toBe('hostName: is not known here; did you mean hostname?');
    }
  });
});

test.each([
  ['unknown', 'unknown.example.com'],
  ['no hostname at all', 'https://example.com/'],
  ['empty', ''],
  ['with a NUL', 'a\0.example.com'],
])('spec D19 404 for a domain that is %s', async (_what, domain) => {
  for (const body of [
    { domain, urls: entries(1) },
    { urls: entries(5000), domain },
  ]) {
    const { status, json } = await customer.upload(body);
    expect({ status, code: json.error.code }).toEqual({ status: 404, code: 'NOT_FOUND' });
    expect(json.error.message.includes('must be a hostname')).toBe(domain !== 'unknown.example.com');
  }
});

test("spec D19 404 for another account's domain is the same as for an unknown domain", async () => {
  const stranger = await createCustomer(waypost);
  const taken = await stranger.upload({ domain: hostname, urls: entries(1) });
  const free = await stranger.upload({ domain: 'unknown.example.com', urls: entries(1) });
  expect({ status: taken.status, json: taken.json }).toEqual({ status: 404, json: free.json });
});

describe('spec D13 400', () => {
  const good = JSON.stringify({ domain: hostname, urls: entries(3) });
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const entry = '{"loc":"https://example.com/"}';
  const withUrls = (urls: string) => `{"domain":"${hostname}","urls":${urls}}`;

  test.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['what is not JSON', 'domain=example.com'],
    ['an array', '[]'],
    ['an entry that is not JSON', withUrls(`[${entry},{loc:1}]`)],
    ['more behind the end', `${good}x`],
    ['a document that ends in urls', good.slice(0, -2)],
    ['domain given twice', `{"domain":"${hostname}",${good.slice(1)}`],
    ['a nesting of 100,000', `${good.slice(0, -1)},"sitemapName":${deep(100_000)}}`],
    ['UTF-16', Buffer.from(good, 'utf16le')],
    [
      'an invalid byte in an entry',
      Buffer.from(withUrls(`[{"loc":"https://example.com/","x":"é"}]`), 'latin1'),
    ],
  ])('for %s', async (_what, body) => {
    const { status, json } = await customer.upload(body, { headers: { 'Content-Type': 'application/json' } });
    expect({ status, code: json.error?.code }).toEqual({ status: 400, code: 'BAD_REQUEST' });
  });

  test('is not the answer to a nesting of 32', async () => {
    const other = await customer.createDomain();
    const body = `{"domain":"${other.hostname}","urls":[{"loc":"https://example.com/","x":${deep(29)}}]}`;
    expect((await customer.upload(body)).status).toBe(200);
    await customer.call(`DELETE /api/domains/${other.id}`);
    storedBefore = await stored();
  });

  test('for a Content-Type that is not taken, and for none', async () => {
    for (const type of [
      ...[[], '', 'text/html', 'application/x-jsonlines', 'constructor', 'application/jsonp', 'json'],
      ...[
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/json, text/plain',
      ],
      ...['application/json; charset=iso-8859-1', 'application/json; charset=utf-16'],
    ]) {
      for (const route of ['POST /api/sitemap/generate', 'POST /api/domains']) {
        const { status, json } = await customer.call(route, {
          body: good,
          headers: { 'Content-Type': type },
        });
        const refused = { type, route, status: 400, code: 'BAD_REQUEST' };
        expect({ type, route, status, code: json.error?.code }).toEqual(refused);
      }
    }
  });

  test('for a Content-Encoding that is not taken', async () => {
    for (const encoding of ['compress', 'deflate', 'gzip, gzip', 'identity, gzip']) {
      const { status } = await customer.upload(good, { headers: { 'Content-Encoding': encoding } });
      expect({ encoding, status }).toEqual({ encoding, status: 400 });
    }
  });

  test('for a new domain in a body that is not one JSON object', async () => {
    const cut = '{"hostname":"maps.example.com"';
    for (const body of ['{hostname}', '["maps.example.com"]', `${cut},${cut.slice(1)}}`, cut, '']) {
      const { status, json } = await customer.call('POST /api/domains', { body });
      expect({ body, status, code: json.error.code }).toEqual({ body, status: 400, code: 'BAD_REQUEST' });
    }
  });
});

test.each([
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
  ['br', brotliCompressSync],
])('spec D56 400 for a damaged body with encoding %s', async (encoding, encode) => {
  const lines = Buffer.from(
    entries(2000)
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join(''),
  );
  const whole = encode(lines);
  const headers = { 'Content-Type': 'application/x-ndjson', 'Content-Encoding': encoding };
  for (const body of [whole.subarray(0, -5), Buffer.concat([whole, lines]), lines]) {
    const path = `POST /api/sitemap/generate?domain=${hostname}`;
    const { status, json } = await customer.call(path, { body, headers });
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: 'BAD_REQUEST' });
  }
});

describe('a client that disconnects', () => {
  const requestHead = (headers: Record<string, string | number>) =>
    head('POST /api/sitemap/generate', {
      Host: 'api',
      'X-API-Key': customer.key,
      'Content-Type': 'application/json',
      ...headers,
    });
  const document = () =>
    Array.from(uploadDocument({ domain: hostname, sizeLimit: 'gsc-optimized' }, 20_000, bulkyAt));
  const chunked = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

  async function stagingHasBegun() {
    await vi.waitFor(async () => {
      expect((await stored()).length).toBeGreaterThan(storedBefore.length);
    }, SOON);
  }

  test('in the middle of a body of known length leaves nothing', async () => {
    await using connection = await openConnection(waypost.apiUrl);
    const parts = document();
    connection.write(requestHead({ 'Content-Length': Buffer.concat(parts).length }));
    for (const part of parts.slice(0, 15)) connection.write(part);
    await stagingHasBegun();
    connection.socket.destroy();
  });

  test('in the middle of chunks leaves nothing', async () => {
    await using connection = await openConnection(waypost.apiUrl);
    connection.write(requestHead({ 'Transfer-Encoding': 'chunked' }));
    for (const part of document().slice(0, 15)) connection.write(chunked(part));
    await stagingHasBegun();
    connection.socket.resetAndDestroy();
  });

  test('after a whole document but before the last chunk leaves nothing', async () => {
    await using connection = await openConnection(waypost.apiUrl);
    connection.write(requestHead({ 'Transfer-Encoding': 'chunked' }));
    for (const part of document()) connection.write(chunked(part));
    await stagingHasBegun();
    connection.socket.end();
    await connection.closed();
    expect(connection.received()).not.toMatch(/ 200 /);
  });

  test('with malformed chunks gets 400 or is cut, and leaves nothing', async () => {
    await using connection = await openConnection(waypost.apiUrl);
    connection.write(requestHead({ 'Transfer-Encoding': 'chunked' }));
    for (const part of document().slice(0, 15)) connection.write(chunked(part));
    await stagingHasBegun();
    connection.write('not a length\r\n');
    await connection.closed();
    expect(connection.received()).toMatch(/^(HTTP\/1\.1 400 |$)/);
  });
});

test('the connection is usable after a refusal', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const other = await customer.createDomain();
  const bodies: [unknown, number][] = [
    [{ domain: hostname, urls: entries(3000, invalidAt(5)) }, 422],
    [uploadDocument({ domain: hostname }, 3000, invalidAt(2999)), 422],
    ['{', 400],
    [{ domain: 'unknown.example.com', urls: entries(2000) }, 404],
    [{ domain: other.hostname, urls: entries(1) }, 200],
  ];
  const reused = [];
  for (const [body, status] of bodies) {
    const answer = await customer.upload(body, { agent });
    expect(answer.status).toBe(status);
    reused.push(answer.reusedSocket);
  }
  expect(reused).toEqual([false, true, true, true, true]);
  agent.destroy();
  storedBefore = await stored();
});

test('a refused upload leaves no empty folder either', async () => {
  const before = await storedUploads(waypost.dataDir);
  const sizeLimit = 'gsc-optimized';
  await customer.upload(uploadDocument({ domain: hostname, sizeLimit }, 10_000, invalidAt(9999)));
  await vi.waitFor(async () => {
    const left = (await storedUploads(waypost.dataDir)).filter((upload) => !before.includes(upload));
    expect(left).toEqual([]);
  }, SOON);
});
