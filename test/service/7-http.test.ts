/** Spec 7, spec D13, D17 and D21: errors of HTTP itself. */
import { describe, expect, test } from 'vitest';
import { checkEnvelope, createCustomer } from './support/customer.ts';
import { entries, uploadDocument } from './support/entries.ts';
import { head, lastJson, openConnection } from './support/raw-connection.ts';
import { send } from './support/send.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);
const { hostname, id } = await customer.verifiedDomain();

test.each(['apiUrl', 'hostingUrl'] as const)('GET /healthz of %s answers 200', async (url) => {
  expect(await send(`${waypost[url]}/healthz`)).toMatchObject({ status: 200 });
});

test.each([
  '/api',
  '/api/',
  '/api/domain',
  '/api/domains/',
  '/API/domains',
  '/api/Domains',
  '/api//domains',
  '/api/domains/x/y',
  '/api/domains/x/sitemaps/y/z',
  '/api/sitemap',
  '/api/sitemap/generate/',
  '/api/%64omains',
  '/favicon.ico',
  '/%00',
])('spec D17 404 for the unknown path %s', async (path) => {
  for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'PATCH']) {
    const { status, json } = await customer.call(`${method} ${path}`);
    expect({ method, status, code: json.error?.code }).toEqual({ method, status: 404, code: 'NOT_FOUND' });
  }
});

test.each([
  ['POST /api/sitemaps/generate', 'There is nothing at this path. Did you mean /api/sitemap/generate?'],
  ['POST /api/upload_sessions', 'There is nothing at this path. Did you mean /api/upload-sessions?'],
  ['GET //api/domains', 'There is nothing at this path. Did you mean /api/domains?'],
  ['POST /api/domains//verify', 'There is nothing at this path. Did you mean /api/domains/{id}/verify?'],
  ['GET /sitemap.xml', 'There is nothing at this path. /api/openapi.json lists all paths.'],
])('spec D17 404 for %s names the nearest path, or where all paths are', async (request, message) => {
  expect((await customer.call(request)).json.error?.message).toBe(message);
});

test('spec D17 a path that is not properly encoded is refused in the envelope', async () => {
  for (const path of ['/api/domains/%', '/api/domains/%zz', '/api/domains/%ff/sitemaps']) {
    const { status } = await customer.call(`GET ${path}`);
    expect([400, 404]).toContain(status);
  }
});

test.each<[string, string[], string[]]>([
  ['/api/domains', ['GET', 'POST'], ['PUT', 'PATCH', 'DELETE', 'OPTIONS']],
  ['/api/domains/ID', ['GET', 'PATCH', 'DELETE'], ['POST', 'PUT', 'OPTIONS']],
  ['/api/domains/ID/indexnow', ['GET'], ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
  ['/api/domains/ID/indexnow/verify', ['POST'], ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
  ['/api/domains/ID/verify', ['POST'], ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
  ['/api/domains/ID/sitemaps', ['GET'], ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
  ['/api/domains/ID/sitemaps/default', ['GET', 'PATCH', 'DELETE'], ['POST', 'PUT', 'OPTIONS']],
  ['/api/sitemap/generate', ['POST'], ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
])('spec D17 405 with Allow for other methods of %s', async (path, allowed, others) => {
  for (const method of others) {
    const { status, headers, json } = await customer.call(`${method} ${path.replace('ID', id)}`);
    const { code } = json.error;
    expect({ method, status, code }).toEqual({ method, status: 405, code: 'METHOD_NOT_ALLOWED' });
    const allow = (headers.allow ?? '').split(', ').filter((name) => name !== 'HEAD');
    expect(allow.sort()).toEqual(allowed.toSorted());
  }
});

test.each([
  ['/healthz', 'GET, HEAD'],
  ['/api/domains', 'GET, HEAD, POST'],
  ['/api/sitemap/generate', 'POST'],
])('RFC 9110 405 with Allow for TRACE of %s, and the connection ends', async (path, allow) => {
  const { status, headers } = await answerTo(head(`TRACE ${path}`, NO_BODY));
  expect({ status, allow: headers.allow, connection: headers.connection }).toEqual({
    status: 405,
    allow,
    connection: 'close',
  });
});

test('spec D17 405 says which method the path has', async () => {
  const { json } = await answerTo(head('PUT /api/sitemap/generate', { ...NO_BODY, Connection: 'close' }));
  expect(json).toMatchObject({ error: { message: 'PUT is not allowed here: use POST.' } });
});

test('RFC 9110 HEAD answers as GET does, without the body', async () => {
  for (const path of ['/api/domains', `/api/domains/${id}`, `/api/domains/${id}/sitemaps`]) {
    const headers = { 'X-API-Key': customer.key };
    const answer = await send(waypost.apiUrl + path, { method: 'HEAD', headers });
    expect({ path, status: answer.status, body: answer.body.length }).toEqual({ path, status: 200, body: 0 });
    expect(answer.headers['x-request-id']).toBeDefined();
  }
});

test('spec D17 every request has an id of its own', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => customer.call('GET /api/domains')));
  expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(20);
});

const NO_BODY = { Host: 'api', 'X-API-Key': customer.key };

/** Writes bytes on a new connection. Checks that one answer comes in the envelope and the connection ends. */
async function answerTo(bytes: string) {
  await using connection = await openConnection(waypost.apiUrl);
  connection.write(bytes);
  await connection.closed();
  const [, status = '', fields = ''] =
    /^HTTP\/1\.1 (\d+) [^\r]*\r\n([\s\S]*?)\r\n\r\n/.exec(connection.received()) ?? [];
  const lines = fields.split('\r\n').map((line) => line.split(': ') as [string, string]);
  const headers = Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value]));
  const body = Buffer.from(connection.received().split('\r\n\r\n')[1] ?? '');
  return { json: checkEnvelope({ status: Number(status), headers, body }), status: Number(status), headers };
}

describe('spec D17 malformed HTTP is refused in the envelope', () => {
  const line = 'GET /api/domains HTTP/1.1\r\n';
  const key = `X-API-Key: ${customer.key}\r\n`;
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['an unknown method', 'FETCH /api/domains HTTP/1.1\r\nHost: api\r\n\r\n'],
    ['a header without a colon', `${line}Host: api\r\nnonsense\r\n\r\n`],
    ['a blank before the colon', `${line}Host: api\r\nX-API-Key : x\r\n\r\n`],
    ['a control character in a header', `${line}Host: api\r\nX: \x00\r\n\r\n`],
    ['a folded header', `${line}Host: api\r\nX: a\r\n b\r\n\r\n`],
    [
      'Content-Length that is no number',
      `POST /api/domains HTTP/1.1\r\nHost: api\r\nContent-Length: x\r\n\r\n`,
    ],
    [
      'two different lengths',
      `POST /api/domains HTTP/1.1\r\nHost: api\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    [
      'a length and chunks',
      `POST /api/domains HTTP/1.1\r\nHost: api\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'another transfer coding',
      `POST /api/domains HTTP/1.1\r\nHost: api\r\n${key}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['no Host', `${line}${key}\r\n`],
    ['two Hosts', `${line}Host: a\r\nHost: b\r\n${key}\r\n`],
    ['an empty Host', `${line}Host:\r\n${key}\r\n`],
    ['a Host with a path', `${line}Host: api/x\r\n${key}\r\n`],
    ['a target of another host', `GET http://other/api/domains HTTP/1.1\r\nHost: api\r\n${key}\r\n`],
    ['a fragment', `GET /api/domains#x HTTP/1.1\r\nHost: api\r\n${key}\r\n`],
    ['HTTP/2 as text', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['headers of 100 kB', `${line}Host: api\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['TRACE', `TRACE /api/domains HTTP/1.1\r\nHost: api\r\n${key}\r\n`],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'],
    [
      'an expectation that nobody knows',
      `${line}Host: api\r\n${key}Expect: wonders\r\nConnection: close\r\n\r\n`,
    ],
  ])('%s', async (_what, bytes) => {
    const { status } = await answerTo(bytes);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500 + 6);
    expect(status).not.toBe(500);
  });
});

test('spec D17 the key of a file with Windows line ends is refused by its cause', async () => {
  const { status, json } = await answerTo(
    head('GET /api/domains', { ...NO_BODY, 'X-API-Key': `${customer.key}\r` }),
  );
  expect({ status, message: json.error.message }).toEqual({
    status: 400,
    message: expect.stringContaining('as a key from a file with Windows line ends has'),
  });
});

test('spec D17 a letter that the address must have percent-encoded is named', async () => {
  const { status, json } = await answerTo(
    `GET /api/find?url=https://b\xfccher.example/ HTTP/1.1\r\nHost: api\r\n\r\n`,
  );
  expect(status).toBe(400);
  expect(json).toMatchObject({ error: { message: expect.stringContaining('percent-encoded') } });
});

test('RFC 9112 pipelined requests are answered in order', async () => {
  await using connection = await openConnection(waypost.apiUrl);
  const get = (path: string) => head(`GET ${path}`, NO_BODY);
  connection.write(
    get(`/api/domains/${id}`) + get('/api/nothing') + get('/api/domains?limit=0') + get('/healthz'),
  );
  await connection.receives(/ok\n/);
  const statuses = Array.from(connection.received().matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
  expect(statuses).toEqual(['200', '404', '400', '200']);
});

describe('RFC 9110 Expect: 100-continue', () => {
  const expecting = (headers: Record<string, string | number>) =>
    head('POST /api/sitemap/generate', {
      Host: 'api',
      'Content-Type': 'application/json',
      Expect: '100-continue',
      'X-API-Key': customer.key,
      ...headers,
    });

  test('an acceptable body gets 100 Continue', async () => {
    const body = JSON.stringify({ domain: hostname, urls: entries(2) });
    await using connection = await openConnection(waypost.apiUrl);
    connection.write(expecting({ 'Content-Length': body.length }));
    await connection.receives(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    connection.write(body);
    await connection.receives(/HTTP\/1\.1 200 OK[\s\S]*\}\}$/);
    expect(lastJson(connection.received()).data.urlCount).toBe(2);
  });

  test('an HTTP/1.0 client gets no interim answer, because it knows none', async () => {
    const body = JSON.stringify({ domain: hostname, urls: entries(2) });
    await using connection = await openConnection(waypost.apiUrl);
    connection.write(expecting({ 'Content-Length': body.length }).replace('HTTP/1.1', 'HTTP/1.0') + body);
    const [status] = await connection.receives(/^HTTP\/1\.1 \d+/);
    expect(status).toBe('HTTP/1.1 200');
  });

  test.each<[string, Record<string, string | number>, string]>([
    ['without a key', { 'X-API-Key': 'x' }, '401'],
    ['of the wrong type', { 'Content-Type': 'text/html' }, '400'],
    ['that is too large', { 'Content-Length': 2 ** 40 }, '413'],
  ])('a body %s is refused without 100 Continue', async (_what, headers, wanted) => {
    await using connection = await openConnection(waypost.apiUrl);
    connection.write(expecting({ 'Content-Length': 100_000, ...headers }));
    const [, status] = await connection.receives(/^HTTP\/1\.1 (\d+)[\s\S]*\}\}$/);
    expect(status).toBe(wanted);
    expect(lastJson(connection.received()).success).toBe(false);
  });
});

describe('spec D17 an early answer reaches a client that is still writing', () => {
  const endless = `${JSON.stringify(Array.from(uploadDocument({ domain: hostname }, 1000)).join(''))},`;
  const cases: [string, string, Record<string, string>, string, string][] = [
    ['without a key', 'POST /api/sitemap/generate', { 'X-API-Key': '' }, '', '401'],
    ['of the wrong type', 'POST /api/sitemap/generate', { 'Content-Type': 'text/html' }, '', '400'],
    ['to an unknown path', 'POST /api/nothing', {}, '', '404'],
    ['with the wrong method', 'PUT /api/sitemap/generate', {}, '', '405'],
    ['that is not JSON', 'POST /api/sitemap/generate', {}, '[', '400'],
    ['to an unknown domain', 'POST /api/sitemap/generate', {}, '{"domain":"x.example.com","urls":[', '404'],
    [
      'with an invalid entry',
      'POST /api/sitemap/generate',
      {},
      `{"domain":"${hostname}","urls":[${'{"loc":"x"},'.repeat(1000)}`,
      '422',
    ],
    // Repeated, because a client that writes as fast as the server reads must not hold back its answer.
    ...Array(5).fill(['of a new domain that is too long', 'POST /api/domains', {}, '', '413']),
  ];

  test.each(cases)('a body %s', async (_what, startLine, headers, beginning, wanted) => {
    await using connection = await openConnection(waypost.apiUrl);
    const { socket } = connection;
    connection.write(
      head(startLine, {
        Host: 'api',
        'X-API-Key': customer.key,
        'Content-Type': 'application/json',
        'Transfer-Encoding': 'chunked',
        ...headers,
      }),
    );
    const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
    if (beginning !== '') connection.write(chunk(beginning));
    // A body that is too long has no other fault: it begins with blanks.
    const more = chunk(wanted === '413' ? ' '.repeat(endless.length) : endless);
    // Reads only when it must, and never stops by itself.
    const write = () => {
      while (!socket.destroyed && socket.write(more));
    };
    socket.on('drain', write);
    write();
    const [, status] = await connection.receives(/^HTTP\/1\.1 (\d+)[\s\S]*\r\n\r\n\{[\s\S]*\}\}/);
    expect(status).toBe(wanted);
    // The server does not read for ever.
    await connection.closed();
    const [, body = ''] = connection.received().split('\r\n\r\n');
    expect(JSON.parse(body).success).toBe(false);
  });
});

test('a head that does not come to its end in time gets 408, and is to be sent again', async () => {
  await using connection = await openConnection(waypost.apiUrl);
  connection.write('POST /api/sitemap/generate HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API');
  await connection.closed();
  const received = connection.received();
  expect(received).toMatch(/^HTTP\/1\.1 408 /);
  expect(lastJson(received).error).toEqual({
    code: 'REQUEST_TIMEOUT',
    message: 'The head of the request did not arrive in time. Send the request again.',
  });
});
