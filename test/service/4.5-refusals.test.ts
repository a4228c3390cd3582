/**
 * The answers to bad uploads (spec 4.5 and spec 7, spec D13 to D16). The old sitemap stays served throughout, and
 * nothing stays staged.
 */

import { Agent } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { bulkyAt, entries, entryAt, uploadDocument } from './support/entries.ts';
import { head, openConnection } from './support/raw-connection.ts';
import { storedObjects, storedUploads } from './support/store.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
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
    ['alone', 0, 1],
  ])('%s (urls[%i] of %i) is named exactly', async (_where, bad, count) => {
    const { status, json } = await customer.upload(
      uploadDocument({ domain: hostname }, count, invalidAt(bad)),
    );
    expect(status).toBe(422);
    const [field, value] = [`urls[${bad}].loc`, 'ftp://example.com/'];
    expect(json.error).toMatchObject({ code: 'VALIDATION_ERROR', details: { field, value, errorCount: 1 } });
    expect(json.error.details.errors).toEqual([{ field, value, message: expect.stringMatching(/http/) }]);
    expect(json.error.message).toContain(field);
  });

  test.each([
    ['first', 0],
    ['in the middle', 500_000],
    ['last', 999_999],
  ])('%s of a million is named exactly', async (_where, bad) => {
    const make = (i: number) => {
      const loc = i === bad ? 'www.example.com' : `https://www.example.com/page/${i}`;
      return { loc, lastmod: '2026-01-15', changefreq: 'daily', priority: 0.5 };
    };
    const { status, json } = await customer.upload(uploadDocument({ domain: hostname }, 1_000_000, make));
    expect(status).toBe(422);
    const [field, value] = [`urls[${bad}].loc`, 'www.example.com'];
    const message = expect.stringMatching(/./);
    expect(json.error.details).toEqual({ field, value, errors: [{ field, value, message }], errorCount: 1 });
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

describe('4.5 an invalid member beside urls', () => {
  const urls = entries(1);
  test.each<[string, object, string, unknown?]>([
    ['no domain', { urls }, 'domain', null],
    ['a domain of null', { domain: null, urls }, 'domain', null],
    ['a domain that is no string', { domain: 5, urls }, 'domain', 5],
    ['no urls', { domain: hostname }, 'urls', null],
    ['no members', {}, 'domain', null],
    ['urls of null', { domain: hostname, urls: null }, 'urls', null],
    ['urls that are an object', { domain: hostname, urls: { loc: 'https://example.com/' } }, 'urls'],
    ['urls that are a string', { domain: hostname, urls: 'https://example.com/' }, 'urls'],
    ['empty urls (spec D9)', { domain: hostname, urls: [] }, 'urls', []],
    ['an unknown sizeLimit', { domain: hostname, sizeLimit: 'huge', urls }, 'sizeLimit', 'huge'],
    ['a sizeLimit in other case', { domain: hostname, sizeLimit: 'Standard', urls }, 'sizeLimit'],
    ['a sizeLimit that is a number', { domain: hostname, urls, sizeLimit: 1000 }, 'sizeLimit', 1000],
    ['a name of ours', { domain: hostname, sitemapName: 'index', urls }, 'sitemapName', 'index'],
    [
      'the alias of the unnamed one',
      { domain: hostname, urls, sitemapName: 'default' },
      'sitemapName',
      'default',
    ],
    ['a pingSearch that is a string', { domain: hostname, pingSearch: 'yes', urls }, 'pingSearch', 'yes'],
    ['a pingSearch that is a number', { domain: hostname, urls, pingSearch: 1 }, 'pingSearch', 1],
  ])('is refused: %s', async (_what, body, field, value) => {
    const { status, json } = await customer.upload(body);
    expect({ status, code: json.error.code, field: json.error.details.field }).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      field,
    });
    if (value !== undefined) expect(json.error.details.value).toEqual(value);
  });
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
    ['first', `{"Domain":5,${members},${urls}}`, 'Domain', /did you mean domain\?$/],
    ['with a value that is an object', `{${members},"url":{"a":[1]},${urls}}`, 'url', /did you mean urls\?$/],
    ['like no other', `{${members},"x":1,${urls}}`, 'x', /expected one of .*sitemapName.*urls$/],
    ['__proto__', `{"__proto__":{"sizeLimit":"x"},${members},${urls}}`, '__proto__', /not known/],
    ['written in escapes', `{"\\u0078\\ud83d\\ude00":1,${members},${urls}}`, 'x😀', /not known/],
    [
      'with an endless name',
      `{"${'x'.repeat(100_000)}":1,${members},${urls}}`,
      `${'x'.repeat(64)}…`,
      /not known/,
    ],
    ['and a million more', `{${million},${members},${urls}}`, 'x0', /not known/],
    ['before a fault in its value', `{${members},"x":tru}`, 'x', /not known/],
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
    ['blanks', ' \n '],
    ['a byte order mark alone', '\ufeff'],
    ['what is not JSON', 'domain=example.com'],
    ['XML', '<urlset/>'],
    ['an array', '[]'],
    ['a string', '"urls"'],
    ['null', 'null'],
    ['a number', '5'],
    ['single quotes', "{'domain':'x'}"],
    ['a comment', `${good.slice(0, -1)}/* end */}`],
    ['a trailing comma behind the members', `${good.slice(0, -1)},}`],
    ['a trailing comma in urls', withUrls(`[${entry},]`)],
    ['a missing comma in urls', withUrls(`[${entry}${entry}]`)],
    ['a double comma in urls', withUrls(`[${entry},,${entry}]`)],
    ['an entry that is not JSON', withUrls(`[${entry},{loc:1}]`)],
    ['an entry closed by another bracket', withUrls(`[{"loc":"https://example.com/"]]`)],
    ['a line feed in a string', withUrls(`[{"loc":"https://example.com/\n"}]`)],
    ['an unknown escape', withUrls(`[{"loc":"https://example.com/\\x"}]`)],
    ['a number with a leading zero', withUrls(`[{"loc":"https://example.com/","priority":01}]`)],
    ['NaN', withUrls(`[{"loc":"https://example.com/","priority":NaN}]`)],
    ['more behind the end', `${good}x`],
    ['a second document', `${good}${good}`],
    ['a document that ends in a key', `{"domain":"${hostname}","ur`],
    ['a document that ends in urls', good.slice(0, -2)],
    ['a document that ends in an entry', good.slice(0, -10)],
    ['a document that ends before its last bracket', good.slice(0, -1)],
    ['domain given twice', `{"domain":"${hostname}",${good.slice(1)}`],
    ['urls given twice', `${good.slice(0, -1)},"urls":[${entry}]}`],
    ['urls given twice, written otherwise', `${good.slice(0, -1)},"\\u0075rls":[${entry}]}`],
    ['sizeLimit given twice', `${good.slice(0, -1)},"sizeLimit":null,"sizeLimit":null}`],
    ['a nesting of 33 in a member', `${good.slice(0, -1)},"sitemapName":${deep(32)}}`],
    ['a nesting of 33 in an entry', withUrls(`[{"loc":"https://example.com/","x":${deep(30)}}]`)],
    ['a nesting of 100,000', `${good.slice(0, -1)},"sitemapName":${deep(100_000)}}`],
    ['UTF-16', Buffer.from(good, 'utf16le')],
    [
      'an invalid byte in a string',
      Buffer.concat([
        Buffer.from('{"sitemapName":"'),
        Buffer.from([0xff]),
        Buffer.from(`",${good.slice(1)}`),
      ]),
    ],
    [
      'a surrogate in UTF-8',
      Buffer.concat([
        Buffer.from('{"sitemapName":"'),
        Buffer.from([0xed, 0xa0, 0xbd]),
        Buffer.from(`",${good.slice(1)}`),
      ]),
    ],
    [
      'an overlong slash',
      Buffer.concat([
        Buffer.from('{"sitemapName":"'),
        Buffer.from([0xc0, 0xaf]),
        Buffer.from(`",${good.slice(1)}`),
      ]),
    ],
    ['a character cut at the end', Buffer.concat([Buffer.from(good), Buffer.from([0xe2, 0x82])])],
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

  test.each([
    undefined,
    '',
    'text/html',
    'application/x-jsonlines',
    'constructor',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/jsonp',
    'application/json, text/plain',
    'json',
  ])('for the Content-Type %s', async (type) => {
    const headers = { 'Content-Type': type as string };
    for (const route of ['POST /api/sitemap/generate', 'POST /api/domains']) {
      const { status, json } = await customer.call(route, {
        body: good,
        headers: type === undefined ? { 'Content-Type': [] } : headers,
      });
      expect({ route, status, code: json.error?.code }).toEqual({ route, status: 400, code: 'BAD_REQUEST' });
    }
  });

  test.each(['compress', 'deflate', 'gzip, gzip', 'identity, gzip'])(
    'for the Content-Encoding %s',
    async (encoding) => {
      const { status } = await customer.upload(good, { headers: { 'Content-Encoding': encoding } });
      expect(status).toBe(400);
    },
  );

  test.each([
    ['not JSON', '{hostname}'],
    ['no object', '["maps.example.com"]'],
    ['hostname twice', '{"hostname":"maps.example.com","hostname":"maps.example.com"}'],
    ['cut short', '{"hostname":"maps.example.com"'],
    ['empty', ''],
  ])('for a new domain in a body that is %s', async (_what, body) => {
    const { status, json } = await customer.call('POST /api/domains', { body });
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: 'BAD_REQUEST' });
  });
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
