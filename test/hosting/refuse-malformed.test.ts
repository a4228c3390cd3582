import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange, rawExchange } from './exchange.ts';
import { publishSite } from './hosted-site.ts';
import { HOSTNAME, type RunningHosting, startHosting } from './start-hosting.ts';

const HOST = `Host: ${HOSTNAME}\r\n`;
const XML = '<urlset>whole</urlset>';

let hosting: RunningHosting;
beforeAll(async () => {
  hosting = await startHosting();
  await publishSite(hosting.storage, { sitemaps: [{ uploadId: 'u', files: [XML] }] });
});
afterAll(() => hosting[Symbol.asyncDispose]());

test('the answer to bytes that are not HTTP, byte for byte', async () => {
  const { head, body } = await exchange(hosting.port, '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n');
  expect(head).toBe(
    'HTTP/1.1 400 Bad Request\nX-Robots-Tag: noindex\nX-Content-Type-Options: nosniff\n' +
      'Content-Type: text/plain; charset=utf-8\nContent-Length: 13\nCache-Control: no-store\n' +
      'Connection: close\nDate: *',
  );
  expect(body.toString()).toBe('Bad request.\n');
});

describe('requests that the parser rejects, and requests that it accepts and we refuse', () => {
  test.each([
    [400, 'a blank before the colon', `GET /sitemap.xml HTTP/1.1\r\nHost : ${HOSTNAME}\r\n\r\n`],
    [400, 'a folded header line', `GET /sitemap.xml HTTP/1.1\r\n${HOST} folded: x\r\n\r\n`],
    [400, 'bare line feeds', `GET /sitemap.xml HTTP/1.1\n${HOST}\n`],
    [400, 'a relative target', `GET sitemap.xml HTTP/1.1\r\n${HOST}\r\n`],
    [400, 'NUL in the target', `GET /sitemap.xml\0 HTTP/1.1\r\n${HOST}\r\n`],
    [400, 'an unknown method', `FETCH /sitemap.xml HTTP/1.1\r\n${HOST}\r\n`],
    [
      400,
      'two framings',
      `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [400, 'two lengths', `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    [400, 'a negative length', `POST / HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`],
    [431, 'headers too large', `GET /sitemap.xml HTTP/1.1\r\n${HOST}X: ${'x'.repeat(20_000)}\r\n\r\n`],
    [400, 'no Host', 'GET /sitemap.xml HTTP/1.1\r\n\r\n'],
    [400, 'two Hosts', `GET /sitemap.xml HTTP/1.1\r\n${HOST}${HOST}\r\n`],
    [
      400,
      'two Hosts, the second behind 3,000 headers',
      `GET /sitemap.xml HTTP/1.1\r\n${HOST}${'a:\r\n'.repeat(3_000)}Host: b.example.com\r\n\r\n`,
    ],
    [
      400,
      'a target that differs from Host',
      `GET http://other.example.com/sitemap.xml HTTP/1.1\r\n${HOST}\r\n`,
    ],
    [400, 'GET *', `GET * HTTP/1.1\r\n${HOST}\r\n`],
    [400, 'a body of GET', `GET /sitemap.xml HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`],
    [
      400,
      'an empty chunked body of GET',
      `GET /sitemap.xml HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      400,
      'Transfer-Encoding in HTTP/1.0',
      `POST /sitemap.xml HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      501,
      'a second transfer coding',
      `POST /sitemap.xml HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      501,
      'another transfer coding',
      `POST /sitemap.xml HTTP/1.1\r\n${HOST}Transfer-Encoding: identity\r\n\r\n`,
    ],
    [505, 'HTTP/2.0 in the request line', `GET /sitemap.xml HTTP/2.0\r\n${HOST}\r\n`],
    [505, 'HTTP/0.9', 'GET /sitemap.xml\r\n\r\n'],
    [405, 'TRACE', `TRACE /sitemap.xml HTTP/1.1\r\n${HOST}\r\n`],
    [405, 'CONNECT', `CONNECT ${HOSTNAME}:443 HTTP/1.1\r\n${HOST}\r\n`],
  ])('%i and the end of the connection for %s', async (status, _, request) => {
    const answer = await exchange(hosting.port, request);
    expect(answer.status).toBe(status);
    expect(answer.headers.connection).toBe('close');
    expect(answer.body.length).toBe(Number(answer.headers['content-length']));
    if (status === 405) expect(answer.headers.allow).toBe('GET, HEAD');
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND'])('405 for %s', async (method) => {
    const { status, headers } = await exchange(
      hosting.port,
      `${method} /sitemap.xml HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    );
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

test('408 for a request whose headers do not arrive', async () => {
  await using impatient = await startHosting({ headersTimeoutMs: 200 });
  expect((await exchange(impatient.port, 'GET /sitemap.xml HTTP/1.1\r\nHost:')).status).toBe(408);
  expect((await exchange(impatient.port, '')).status).toBe(408);
});

test('malformed bytes after good requests harm none of their answers', async () => {
  const good = `GET /sitemap.xml HTTP/1.1\r\n${HOST}\r\n`;
  const received = (await rawExchange(hosting.port, `${good}${good}\0\0\0\r\n\r\n`)).toString();
  expect(received.split(XML).length - 1).toBe(2);
  expect(received.endsWith(XML)).toBe(true);
});
