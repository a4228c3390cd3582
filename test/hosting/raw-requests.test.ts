/**
 * Requests as bytes on a socket, and everything in the answer: status line, every header line (in any order, none
 * twice) and body. The rules are in docs/FORMAT.md, "How files are served"; each row names its clause of RFC 9110 or
 * 9112.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAnswer, type RawAnswer, rawExchange } from './exchange.ts';
import { etagOf, LAST_MODIFIED_HTTP, publishSite, uploadIndexXml } from './hosted-site.ts';
import { HOSTNAME, type RunningHosting, startHosting } from './start-hosting.ts';

const XML = '<urlset>the only file</urlset>';
const GZIP = gzipSync(XML);
const PARTS = ['<urlset>1 of 2</urlset>', '<urlset>2 of 2</urlset>'];
const ROBOTS = `User-agent: *\nAllow: /\n\nSitemap: https://${HOSTNAME}/sitemap-index.xml\n`;
const TAG = `"${etagOf(XML)}"`;
const GZIP_TAG = `"${etagOf(XML)}-gz"`;
const BEFORE = 'Thu, 15 Jan 2026 09:59:59 GMT';
const AFTER = 'Thu, 15 Jan 2026 10:00:01 GMT';

let hosting: RunningHosting;
beforeAll(async () => {
  hosting = await startHosting();
  await publishSite(hosting.storage, {
    sitemaps: [
      { uploadId: 'one', files: [XML] },
      { uploadId: 'news', name: 'news', files: PARTS },
    ],
  });
});
afterAll(() => hosting[Symbol.asyncDispose]());

interface Answer {
  readonly status: string;
  readonly fields: readonly string[];
  readonly body: string;
}

const ends = ['Date: *', 'Connection: close'];
const common = ['X-Robots-Tag: noindex', 'X-Content-Type-Options: nosniff', ...ends];
const cacheable = 'Cache-Control: public, max-age=60, stale-if-error=600';
const negotiated = 'Vary: Accept-Encoding';
const lengthOf = (body: string) => `Content-Length: ${Buffer.byteLength(body, 'latin1')}`;

interface Entity {
  readonly body: string;
  readonly tag: string;
  readonly type?: string;
  /** `none` for a file with a single form: it has neither Vary nor Content-Encoding. */
  readonly encoding?: 'gzip' | 'identity' | 'none';
  readonly modified?: string;
}
const xml = (body: string): Entity => ({ body, tag: `"${etagOf(body)}"`, encoding: 'identity' });
const file = xml(XML);
const packed: Entity = { body: GZIP.toString('latin1'), tag: GZIP_TAG, encoding: 'gzip' };
const alias: Entity = { ...packed, type: 'application/gzip', encoding: 'none' };

function described({ tag, type = 'application/xml; charset=utf-8', encoding = 'none' }: Entity) {
  return [
    ...common,
    cacheable,
    `ETag: ${tag}`,
    `Content-Type: ${type}`,
    `Last-Modified: ${LAST_MODIFIED_HTTP}`,
    'Accept-Ranges: bytes',
    ...(encoding === 'none' ? [] : [negotiated]),
    ...(encoding === 'gzip' ? ['Content-Encoding: gzip'] : []),
  ];
}

const ok = (entity: Entity): Answer => ({
  status: '200 OK',
  fields: [...described(entity), lengthOf(entity.body)],
  body: entity.body,
});
const part = (entity: Entity, first: number, last: number): Answer => {
  const body = entity.body.slice(first, last + 1);
  const range = `Content-Range: bytes ${first}-${last}/${entity.body.length}`;
  return { status: '206 Partial Content', fields: [...described(entity), range, lengthOf(body)], body };
};
const notModified = ({ tag, encoding = 'none' }: Entity): Answer => ({
  status: '304 Not Modified',
  fields: [...common, cacheable, `ETag: ${tag}`, ...(encoding === 'none' ? [] : [negotiated])],
  body: '',
});
const plain = (status: string, body: string, ...more: string[]): Answer => ({
  status,
  fields: [
    ...common,
    'Content-Type: text/plain; charset=utf-8',
    'Cache-Control: no-store',
    lengthOf(body),
    ...more,
  ],
  body,
});
const notFound = plain('404 Not Found', 'Not found.\n');
const badRequest = plain('400 Bad Request', 'Bad request.\n');
const notAllowed = plain('405 Method Not Allowed', 'Method not allowed.\n', 'Allow: GET, HEAD');
const notImplemented = plain('501 Not Implemented', 'Not implemented.\n');
const notAcceptable = plain('406 Not Acceptable', 'Not acceptable.\n', negotiated);
const failed = plain('412 Precondition Failed', 'Precondition failed.\n');
const unsatisfiable = (bytes: number) =>
  plain('416 Range Not Satisfiable', 'Range not satisfiable.\n', `Content-Range: bytes */${bytes}`);
const bare = (answer: Answer): Answer => ({ ...answer, body: '' });

/** Sends a request with `Connection: close`, and reads everything that comes. */
async function answerTo(request: string): Promise<Answer> {
  const bytes = await rawExchange(hosting.port, Buffer.from(request, 'latin1'));
  return readable(parseAnswer(bytes));
}

function readable({ head, headers, body }: RawAnswer): Answer {
  const [line = '', ...fields] = head.split('\n');
  // RFC 9110 section 6.6.1 requires Date, in the only form that may be sent.
  expect(headers.date).toMatch(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/);
  return { status: line.replace('HTTP/1.1 ', ''), fields: fields.toSorted(), body: body.toString('latin1') };
}

const sorted = (answer: Answer): Answer => ({ ...answer, fields: answer.fields.toSorted() });
const request = (line: string, ...fields: string[]) =>
  [`${line} HTTP/1.1`, `Host: ${HOSTNAME}`, 'Connection: close', ...fields, '', ''].join('\r\n');

describe('files', () => {
  const robots: Answer = {
    status: '200 OK',
    fields: [
      ...common,
      cacheable,
      expect.stringMatching(/^ETag: "[\w-]+"$/),
      'Content-Type: text/plain; charset=utf-8',
      'Accept-Ranges: bytes',
      lengthOf(ROBOTS),
    ],
    body: ROBOTS,
  };
  test.each<[string, Answer]>([
    ['/sitemap.xml', ok(file)],
    ['/sitemap.xml.gz', ok(alias)],
    ['/sitemap.xml?v=2', ok(file)],
    ['/sitemap-news.xml', ok(xml(uploadIndexXml('news')))],
    ['/sitemap-news.1.xml', ok(xml(PARTS[0]!))],
    ['/sitemap-news.2.xml', ok(xml(PARTS[1]!))],
    ['/sitemap-index.xml', ok(xml('<sitemapindex/>'))],
    ['/sitemap-news.3.xml', notFound],
    ['/sitemap-news.1.xml.br', notFound],
    ['/sitemap-old.xml', notFound],
    ['/index.html', notFound],
    ['/healthz', plain('200 OK', 'ok')],
  ])('RFC 9110 section 9.3.1 GET and 9.3.2 HEAD %s', async (path, answer) => {
    expect(await answerTo(request(`GET ${path}`))).toEqual(sorted(answer));
    expect(await answerTo(request(`HEAD ${path}`))).toEqual(sorted(bare(answer)));
  });

  test('GET and HEAD /robots.txt', async () => {
    for (const [method, body] of [
      ['GET', ROBOTS],
      ['HEAD', ''],
    ]) {
      const answer = await answerTo(request(`${method} /robots.txt`));
      const fields = expect.arrayContaining([...robots.fields]);
      expect(answer).toEqual({ status: '200 OK', fields, body });
      expect(answer.fields).toHaveLength(robots.fields.length);
    }
  });

  test('the gzip bytes are the stored ones, and hold the XML', async () => {
    const { body } = await answerTo(request('GET /sitemap.xml.gz'));
    expect(gunzipSync(Buffer.from(body, 'latin1')).toString()).toBe(XML);
  });
});

describe('RFC 9110 section 12.5.3 Accept-Encoding', () => {
  test.each<[string[], Answer]>([
    [[], ok(file)],
    [['Accept-Encoding:'], ok(file)],
    [['Accept-Encoding: identity'], ok(file)],
    [['Accept-Encoding: gzip'], ok(packed)],
    [['Accept-Encoding: GZip'], ok(packed)],
    [['Accept-Encoding: x-gzip'], ok(packed)],
    [['Accept-Encoding: br, zstd, deflate'], ok(file)],
    [['Accept-Encoding: br, gzip;q=0.1'], ok(packed)],
    [['Accept-Encoding: br', 'Accept-Encoding: gzip'], ok(packed)],
    [['Accept-Encoding: gzip;q=1.000'], ok(packed)],
    [['Accept-Encoding: gzip;Q=0.5'], ok(packed)],
    [['Accept-Encoding: gzip;q=0'], ok(file)],
    [['Accept-Encoding: gzip;q=0.0, *'], ok(file)],
    [['Accept-Encoding: *'], ok(packed)],
    [['Accept-Encoding: *;q=0.5, gzip;q=0'], ok(file)],
    [['Accept-Encoding: gzip;q=0.5, identity'], ok(file)],
    [['Accept-Encoding: gzip, identity;q=0.5'], ok(packed)],
    [['Accept-Encoding: identity;q=0, gzip;q=0.001'], ok(packed)],
    [['Accept-Encoding: identity;q=0'], notAcceptable],
    [['Accept-Encoding: *;q=0'], notAcceptable],
    [['Accept-Encoding: br, *;q=0'], notAcceptable],
    [['Accept-Encoding: gzip;q=0, identity;q=0, br'], notAcceptable],
  ])('%j', async (fields, answer) => {
    expect(await answerTo(request('GET /sitemap.xml', ...fields))).toEqual(sorted(answer));
    expect(await answerTo(request('HEAD /sitemap.xml', ...fields))).toEqual(sorted(bare(answer)));
    // The alias has one form only, so Accept-Encoding does not matter.
    expect(await answerTo(request('GET /sitemap.xml.gz', ...fields))).toEqual(sorted(ok(alias)));
  });
});

describe('RFC 9110 section 13 conditions', () => {
  const gzip = 'Accept-Encoding: gzip';
  test.each<[string[], Answer]>([
    // 13.1.2: weak comparison.
    [[`If-None-Match: ${TAG}`], notModified(file)],
    [[`If-None-Match: W/${TAG}`], notModified(file)],
    [[`If-None-Match: "x", W/"y" , ${TAG}`], notModified(file)],
    [['If-None-Match: "x"', `If-None-Match: ${TAG}`], notModified(file)],
    [['If-None-Match: *'], notModified(file)],
    [['If-None-Match: "x"'], ok(file)],
    [[`If-None-Match: ${GZIP_TAG}`], ok(file)],
    [[gzip, `If-None-Match: ${GZIP_TAG}`], notModified(packed)],
    [[gzip, `If-None-Match: ${TAG}`], ok(packed)],
    // A malformed tag matches nothing.
    [[`If-None-Match: ${TAG.slice(1, -1)}`], ok(file)],
    // 13.1.3.
    [[`If-Modified-Since: ${LAST_MODIFIED_HTTP}`], notModified(file)],
    [[`If-Modified-Since: ${AFTER}`], ok(file)],
    [[`If-Modified-Since: ${BEFORE}`], ok(file)],
    [['If-Modified-Since: Thursday, 15-Jan-26 10:00:00 GMT'], notModified(file)],
    [['If-Modified-Since: Thu Jan 15 10:00:00 2026'], notModified(file)],
    [['If-Modified-Since: yesterday'], ok(file)],
    [['If-Modified-Since:'], ok(file)],
    // 13.2.2: the order of precedence.
    [['If-None-Match: "x"', `If-Modified-Since: ${AFTER}`], ok(file)],
    [[`If-None-Match: ${TAG}`, `If-Modified-Since: ${BEFORE}`], notModified(file)],
    [['If-Match: "x"', `If-None-Match: ${TAG}`], failed],
    [[`If-Match: ${TAG}`, `If-Unmodified-Since: ${BEFORE}`], ok(file)],
    [[`If-Match: ${TAG}`, `If-None-Match: ${TAG}`], notModified(file)],
    [[`If-Unmodified-Since: ${BEFORE}`, `If-None-Match: ${TAG}`], failed],
    // 13.1.1: strong comparison.
    [[`If-Match: W/${TAG}`], failed],
    [['If-Match: *'], ok(file)],
  ])('%j', async (fields, answer) => {
    expect(await answerTo(request('GET /sitemap.xml', ...fields))).toEqual(sorted(answer));
    expect(await answerTo(request('HEAD /sitemap.xml', ...fields))).toEqual(sorted(bare(answer)));
  });

  test.each<[string, string[], Answer]>([
    ['/sitemap.xml.gz', [`If-None-Match: ${GZIP_TAG}`], notModified(alias)],
    ['/sitemap.xml.gz', [`If-None-Match: ${TAG}`], ok(alias)],
    ['/sitemap.xml.gz', [`If-Modified-Since: ${LAST_MODIFIED_HTTP}`], notModified(alias)],
    // 13.2.1: conditions apply only if the answer without them is a 2xx.
    ['/sitemap-old.xml', ['If-None-Match: *'], notFound],
    ['/sitemap-old.xml', ['If-Match: "x"'], notFound],
    ['/sitemap.xml', ['Accept-Encoding: *;q=0', 'If-None-Match: *'], notAcceptable],
  ])('%s %j', async (path, fields, answer) => {
    expect(await answerTo(request(`GET ${path}`, ...fields))).toEqual(sorted(answer));
  });

  test('no condition allows another method', async () => {
    expect(await answerTo(request('DELETE /sitemap.xml', 'If-Match: "x"'))).toEqual(sorted(notAllowed));
  });
});

describe('RFC 9110 section 14 ranges', () => {
  const last = XML.length - 1;
  test.each<[string[], Answer]>([
    [['Range: bytes=0-0'], part(file, 0, 0)],
    [['Range: bytes=3-7'], part(file, 3, 7)],
    [['Range: bytes=8-'], part(file, 8, last)],
    [['Range: bytes=8-99999'], part(file, 8, last)],
    [['Range: bytes=-5'], part(file, last - 4, last)],
    [['Range: bytes=-99999'], part(file, 0, last)],
    [['Range: bytes=0-'], part(file, 0, last)],
    [[`Range: bytes=${XML.length}-`], unsatisfiable(XML.length)],
    [['Range: bytes=99999999999999999999-'], unsatisfiable(XML.length)],
    [['Range: bytes=-0'], unsatisfiable(XML.length)],
    // 14.2: invalid ranges, or more than we support.
    [['Range: bytes=7-3'], ok(file)],
    [['Range: bytes=0-1,3-4'], ok(file)],
    [['Range: bytes=0-1', 'Range: bytes=3-4'], ok(file)],
    [['Range: lines=0-1'], ok(file)],
    [['Range: bytes=x-y'], ok(file)],
    // Ranges of the selected representation.
    [['Accept-Encoding: gzip', 'Range: bytes=10-19'], part(packed, 10, 19)],
    [['Accept-Encoding: gzip', 'Range: bytes=-8'], part(packed, GZIP.length - 8, GZIP.length - 1)],
    [['Accept-Encoding: gzip', `Range: bytes=${GZIP.length}-`], unsatisfiable(GZIP.length)],
    // 13.1.5: strong comparison, or exactly the date.
    [['Range: bytes=0-3', `If-Range: ${TAG}`], part(file, 0, 3)],
    [['Range: bytes=0-3', `If-Range: W/${TAG}`], ok(file)],
    [['Range: bytes=0-3', `If-Range: ${GZIP_TAG}`], ok(file)],
    [['Accept-Encoding: gzip', 'Range: bytes=0-3', `If-Range: ${GZIP_TAG}`], part(packed, 0, 3)],
    [['Range: bytes=0-3', `If-Range: ${LAST_MODIFIED_HTTP}`], part(file, 0, 3)],
    [['Range: bytes=0-3', `If-Range: ${BEFORE}`], ok(file)],
    [['Range: bytes=0-3', `If-Range: ${AFTER}`], ok(file)],
    [[`Range: bytes=${XML.length}-`, 'If-Range: "x"'], ok(file)],
    [[`If-Range: ${TAG}`], ok(file)],
    // 13.2.2: conditions come first.
    [['Range: bytes=0-3', `If-None-Match: ${TAG}`], notModified(file)],
    [[`Range: bytes=${XML.length}-`, `If-None-Match: ${TAG}`], notModified(file)],
    [['Range: bytes=0-3', 'If-None-Match: "x"'], part(file, 0, 3)],
    [['Range: bytes=0-3', 'If-Match: "x"'], failed],
  ])('%j', async (fields, answer) => {
    expect(await answerTo(request('GET /sitemap.xml', ...fields))).toEqual(sorted(answer));
  });

  test('apply to the alias, and never to HEAD', async () => {
    const range = 'Range: bytes=2-9';
    expect(await answerTo(request('GET /sitemap.xml.gz', range))).toEqual(sorted(part(alias, 2, 9)));
    expect(await answerTo(request('HEAD /sitemap.xml', range))).toEqual(sorted(bare(ok(file))));
    expect(await answerTo(request('HEAD /sitemap.xml', 'Range: bytes=99-'))).toEqual(sorted(bare(ok(file))));
  });
});

describe('which site is asked', () => {
  const asks = (line: string, ...fields: string[]) =>
    [line, ...fields, 'Connection: close', '', ''].join('\r\n');
  const get = 'GET /sitemap.xml HTTP/1.1';

  test.each<[string, Answer]>([
    // RFC 9110 section 4.2.3 and 7.2: any case, any port, and the trailing dot of the root.
    [asks(get, 'Host: MAPS.Example.COM'), ok(file)],
    [asks(get, `Host: ${HOSTNAME}.`), ok(file)],
    [asks(get, `Host: ${HOSTNAME}:80`), ok(file)],
    [asks(get, `Host: ${HOSTNAME}.:65535`), ok(file)],
    [asks(get, `host:\t${HOSTNAME} `), ok(file)],
    // RFC 9112 section 3.2.2: a server must accept the absolute form.
    [asks(`GET http://${HOSTNAME}/sitemap.xml HTTP/1.1`, `Host: ${HOSTNAME}`), ok(file)],
    [asks('GET HTTP://MAPS.example.com/sitemap.xml?a HTTP/1.1', `Host: ${HOSTNAME}`), ok(file)],
    [asks(`GET https://${HOSTNAME}/sitemap.xml HTTP/1.1`, `Host: ${HOSTNAME}`), ok(file)],
    [asks(`GET http://${HOSTNAME} HTTP/1.1`, `Host: ${HOSTNAME}`), notFound],
    [asks(`GET /sitemap.xml HTTP/1.0`, `Host: ${HOSTNAME}`), ok(file)],
    // RFC 9112 section 2.2: an empty line or two before the request line.
    [`\r\n\r\n${asks(get, `Host: ${HOSTNAME}`)}`, ok(file)],
    // Format 27.
    [asks(get, 'Host: other.example.com'), notFound],
    [asks(get, 'Host: 127.0.0.1'), notFound],
    [asks(get, 'Host: [::1]:80'), notFound],
    [asks(get, `Host: ${HOSTNAME}..`), notFound],
    [asks(get, 'Host: a%2fb'), notFound],
    [asks('GET /sitemap.xml HTTP/1.0'), notFound],
    // RFC 9112 section 3.2.
    [asks(get), badRequest],
    [asks(get, 'Host:'), badRequest],
    [asks(get, `Host: ${HOSTNAME}`, `Host: ${HOSTNAME}`), badRequest],
    [asks(get, `Host: ${HOSTNAME}:65536`), badRequest],
    [asks(get, `Host: ${HOSTNAME}:80:80`), badRequest],
    [asks(get, `Host: ${HOSTNAME}/`), badRequest],
    [asks(get, `Host: ${HOSTNAME}?`), badRequest],
    [asks(get, `Host: http://${HOSTNAME}`), badRequest],
    [asks(get, `Host: user@${HOSTNAME}`), badRequest],
    [asks(get, `Host: ${HOSTNAME}, other.example.com`), badRequest],
    [asks(get, `Host: ${HOSTNAME} other.example.com`), badRequest],
    [asks(`GET http://other.example.com/sitemap.xml HTTP/1.1`, `Host: ${HOSTNAME}`), badRequest],
    [asks(`GET http://user@${HOSTNAME}/sitemap.xml HTTP/1.1`, `Host: ${HOSTNAME}`), badRequest],
    [asks(`GET http:///sitemap.xml HTTP/1.1`, `Host: ${HOSTNAME}`), badRequest],
    [asks(`GET ftp://${HOSTNAME}/sitemap.xml HTTP/1.1`, `Host: ${HOSTNAME}`), badRequest],
    [asks(`GET http://${HOSTNAME}/sitemap.xml HTTP/1.1`), badRequest],
  ])('%j', async (bytes, answer) => {
    expect(await answerTo(bytes)).toEqual(sorted(answer));
  });
});

describe('methods', () => {
  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY'])(
    '405 for %s',
    async (method) => {
      for (const path of ['/sitemap.xml', '/unknown']) {
        expect(await answerTo(request(`${method} ${path}`))).toEqual(sorted(notAllowed));
      }
    },
  );

  test('405 for OPTIONS * and CONNECT', async () => {
    expect(await answerTo(request('OPTIONS *'))).toEqual(sorted(notAllowed));
    expect(await answerTo(request(`CONNECT ${HOSTNAME}:80`))).toEqual(sorted(notAllowed));
  });

  test.each(['h2c', 'websocket', 'TLS/1.2'])(
    'RFC 9110 section 7.8 an upgrade to %s is ignored',
    async (protocol) => {
      const fields = [`Host: ${HOSTNAME}`, 'Connection: Upgrade, close', `Upgrade: ${protocol}`];
      const bytes = ['GET /sitemap.xml HTTP/1.1', ...fields, '', ''].join('\r\n');
      expect(await answerTo(bytes)).toEqual(sorted(ok(file)));
    },
  );
});

describe('a request that could hide a second one gets one answer, and the connection ends', () => {
  const hidden = request('GET /sitemap-news.1.xml');
  const start = (line: string, ...fields: string[]) =>
    [`${line} HTTP/1.1`, `Host: ${HOSTNAME}`, ...fields, '', ''].join('\r\n');
  const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;

  test.each<[string, string, Answer]>([
    ['GET with a body', start('GET /sitemap.xml', `Content-Length: ${hidden.length}`), badRequest],
    ['HEAD with a body', start('HEAD /sitemap.xml', `Content-Length: ${hidden.length}`), bare(badRequest)],
    ['POST with a body', start('POST /sitemap.xml', `Content-Length: ${hidden.length}`), notAllowed],
    [
      'GET with an empty chunked body',
      `${start('GET /sitemap.xml', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      badRequest,
    ],
    ['GET with a chunk', start('GET /sitemap.xml', 'Transfer-Encoding: chunked') + chunk, badRequest],
    ['POST with a chunk', start('POST /sitemap.xml', 'Transfer-Encoding: chunked') + chunk, notAllowed],
    [
      'a length and chunks',
      start('POST /sitemap.xml', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
      badRequest,
    ],
    [
      'chunks and a length',
      start('POST /sitemap.xml', 'Transfer-Encoding: chunked', 'Content-Length: 5'),
      badRequest,
    ],
    ['two lengths', start('GET /sitemap.xml', 'Content-Length: 0', 'Content-Length: 5'), badRequest],
    [
      'the same length twice',
      start('GET /sitemap.xml', 'Content-Length: 0', 'Content-Length: 0'),
      badRequest,
    ],
    ['a list of lengths', start('GET /sitemap.xml', 'Content-Length: 0, 0'), badRequest],
    ['a length with a sign', start('GET /sitemap.xml', 'Content-Length: +0'), badRequest],
    ['a length in hexadecimal', start('GET /sitemap.xml', 'Content-Length: 0x0'), badRequest],
    ['no length after its name', start('GET /sitemap.xml', 'Content-Length:'), badRequest],
    [
      'a length beyond 64 bits',
      start('GET /sitemap.xml', 'Content-Length: 18446744073709551616'),
      badRequest,
    ],
    ['two codings', start('POST /sitemap.xml', 'Transfer-Encoding: gzip, chunked') + chunk, notImplemented],
    [
      'a coding that only ends as we know it',
      start('POST /sitemap.xml', 'Transfer-Encoding: xchunked'),
      notImplemented,
    ],
    [
      'chunked, and then another',
      start('POST /sitemap.xml', 'Transfer-Encoding: chunked, identity'),
      badRequest,
    ],
    ['chunked twice', start('POST /sitemap.xml', 'Transfer-Encoding: chunked, chunked'), badRequest],
    ['a vertical tab before chunked', start('POST /sitemap.xml', 'Transfer-Encoding:\vchunked'), badRequest],
    ['a blank before the colon', start('POST /sitemap.xml', 'Transfer-Encoding : chunked'), badRequest],
    [
      'chunks in HTTP/1.0',
      start('POST /sitemap.xml', 'Transfer-Encoding: chunked').replace('/1.1', '/1.0') + chunk,
      badRequest,
    ],
    ['a folded field', start('GET /sitemap.xml', 'X: a', ' Transfer-Encoding: chunked'), badRequest],
    ['a field without a colon', start('GET /sitemap.xml', 'Transfer-Encoding'), badRequest],
    ['a field without a name', start('GET /sitemap.xml', ': a'), badRequest],
    ['a bare CR in a value', start('GET /sitemap.xml', 'X: a\rTransfer-Encoding: chunked'), badRequest],
    ['a NUL in a value', start('GET /sitemap.xml', 'X: a\0b'), badRequest],
    ['lines that end in LF', start('GET /sitemap.xml').replaceAll('\r', ''), badRequest],
    ['a tab for a blank', start('GET\t/sitemap.xml'), badRequest],
    ['a method in lower case', start('get /sitemap.xml'), badRequest],
    ['a blank after the version', start('GET /sitemap.xml').replace('1.1', '1.1 '), badRequest],
    ['bytes beyond ASCII in the target', start('GET /sitemap-\xe9.xml'), badRequest],
    ['a fragment', start('GET /sitemap.xml#a'), badRequest],
    ['GET *', start('GET *'), badRequest],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', badRequest],
    [
      'HTTP/2.0',
      start('GET /sitemap.xml').replace('/1.1', '/2.0'),
      plain('505 HTTP Version Not Supported', 'HTTP version not supported.\n'),
    ],
    [
      'HTTP/0.9',
      'GET /sitemap.xml\r\n\r\n',
      plain('505 HTTP Version Not Supported', 'HTTP version not supported.\n'),
    ],
    [
      'fields beyond 16 KiB',
      start('GET /sitemap.xml', `X: ${'x'.repeat(17_000)}`),
      plain('431 Request Header Fields Too Large', 'Header fields too large.\n'),
    ],
  ])('%s', async (_, bytes, answer) => {
    expect(await answerTo(bytes + hidden)).toEqual(sorted(answer));
  });

  test('a length of 0 means no body: the next request is answered too', async () => {
    const bytes = await rawExchange(hosting.port, start('GET /sitemap.xml', 'Content-Length: 0') + hidden);
    expect(bytes.toString().match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['200', '200']);
    expect(bytes.toString().endsWith(PARTS[0]!)).toBe(true);
  });
});

test('503 for a site that cannot be read now', async () => {
  await using cold = await startHosting();
  cold.faults.fault = () => 'fails';
  const answer = await cold.get('/sitemap.xml');
  const id = `X-Request-Id: ${answer.headers['x-request-id']}`;
  const unavailable = plain('503 Service Unavailable', 'Temporarily unavailable.\n', 'Retry-After: 5', id);
  expect(readable(answer)).toEqual(sorted(unavailable));
  // Answers that need no store still work.
  expect(readable(await cold.get('/unknown'))).toEqual(sorted(notFound));
});

describe('requests that Node would answer in its own way', () => {
  test.each<[string, string, Answer]>([
    [
      'RFC 9112 section 3.2.2: the host of an absolute form counts, and HTTP/1.0 needs no other',
      `GET http://${HOSTNAME}/sitemap.xml HTTP/1.0\r\n\r\n`,
      ok(file),
    ],
    [
      'RFC 9112 section 3: a target that is too long MUST get 414',
      request(`GET /${'a'.repeat(20_000)}`),
      plain('414 URI Too Long', 'Target too long.\n'),
    ],
    [
      'format 27: an unknown expectation',
      request('GET /sitemap.xml', 'Expect: the-moon'),
      plain('417 Expectation Failed', 'Expectation failed.\n'),
    ],
    [
      'RFC 3986 section 3.2.3: a port may be empty, which RFC 9110 section 7.2 takes over for Host',
      `GET /sitemap.xml HTTP/1.1\r\nHost: ${HOSTNAME}:\r\nConnection: close\r\n\r\n`,
      ok(file),
    ],
  ])('%s', async (_, bytes, answer) => {
    expect(await answerTo(bytes)).toEqual(sorted(answer));
  });
});
