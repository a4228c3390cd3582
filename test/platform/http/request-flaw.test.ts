import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RequestFlaw, requestFlaw } from '../../../src/platform/http/request-flaw.ts';
import { parseTarget } from '../../../src/platform/http/request-target.ts';

let server: Server;
let flaw: RequestFlaw | undefined;
beforeAll(async () => {
  const judge: RequestListener = (request, response) => {
    flaw = requestFlaw(request, parseTarget(request.url!));
    response.end();
  };
  server = createServer({ requireHostHeader: false }, judge).on('checkExpectation', judge);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
});
afterAll(() => server.close());

/** The result of `requestFlaw` for a request of these lines, as Node parses it. */
async function flawOf(lines: readonly string[]): Promise<RequestFlaw | undefined> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {}).on('close', () => resolve());
  const body = lines.includes('Transfer-Encoding: chunked') ? '0\r\n\r\n' : '';
  socket.resume().write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`);
  await promise;
  return flaw;
}

test.each([
  [['GET / HTTP/1.1', 'Host: a.example']],
  [['GET / HTTP/1.1', 'Host: a.example:8080']],
  [['GET / HTTP/1.1', 'Host: 12345']],
  [['GET / HTTP/1.1', 'Host: [::1]:80']],
  [['GET / HTTP/1.1', 'Host: [::1]']],
  [['GET / HTTP/1.0']],
  [['OPTIONS * HTTP/1.1', 'Host: a']],
  [['GET http://A.example/x HTTP/1.1', 'Host: a.EXAMPLE']],
  [['POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked']],
  [['POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: Chunked']],
  [['GET / HTTP/1.1', 'Host: a', 'Expect: 100-Continue']],
  [['GET / HTTP/1.1', 'Host: a', 'Authorization: Bearer x', 'X-API-Key: x']],
])('%j has no flaw', async (lines) => {
  expect(await flawOf(lines)).toBeUndefined();
});

test.each([
  [400, 'Host is given more than once.', ['GET / HTTP/1.1', 'Host: a', 'Host: a']],
  [400, 'Host is given more than once.', ['GET / HTTP/1.1', 'Host: a', 'hOST: b']],
  [400, 'Host is missing.', ['GET / HTTP/1.1']],
  [400, 'Host is not a host name with an optional port.', ['GET / HTTP/1.1', 'Host: ']],
  [400, 'Host is not a host name with an optional port.', ['GET / HTTP/1.1', 'Host: a/b']],
  [400, 'Host is not a host name with an optional port.', ['GET / HTTP/1.1', 'Host: u:p@a']],
  [400, 'Host is not a host name with an optional port.', ['GET / HTTP/1.1', 'Host: a, b']],
  [400, 'Host is not a host name with an optional port.', ['GET / HTTP/1.1', 'Host: a b']],
  [400, 'Host is not a host name with an optional port.', ['GET / HTTP/1.1', 'Host: a:70000']],
  [400, 'Host is not a host name with an optional port.', ['GET / HTTP/1.1', 'Host: http://a']],
  [
    400,
    'Authorization is given more than once.',
    ['GET / HTTP/1.1', 'Host: a', 'Authorization: x', 'authorization: y'],
  ],
  [400, 'X-API-Key is given more than once.', ['GET / HTTP/1.1', 'Host: a', 'X-API-Key: x', 'X-API-Key: x']],
  [400, 'The host of the request target differs from Host.', ['GET http://b/ HTTP/1.1', 'Host: a']],
  [400, 'The host of the request target differs from Host.', ['GET http://a:81/ HTTP/1.1', 'Host: a']],
  [400, 'The request target is not an http or https URL.', ['GET ftp://a/ HTTP/1.1', 'Host: a']],
  [400, 'The target * is for OPTIONS only.', ['GET * HTTP/1.1', 'Host: a']],
  [400, 'The request target has a fragment.', ['GET /a#b HTTP/1.1', 'Host: a']],
  [400, 'Transfer-Encoding does not exist in HTTP/1.0.', ['POST / HTTP/1.0', 'Transfer-Encoding: chunked']],
  [
    501,
    'The only supported transfer coding is chunked.',
    ['POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: gzip, chunked'],
  ],
  [
    501,
    'The only supported transfer coding is chunked.',
    ['POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: identity'],
  ],
  [
    417,
    'The only supported expectation is 100-continue.',
    ['GET / HTTP/1.1', 'Host: a', 'Expect: 100-continue, more'],
  ],
  [405, 'TRACE is not allowed.', ['TRACE / HTTP/1.1', 'Host: a']],
  [505, 'Only HTTP/1.1 and HTTP/1.0 are supported.', ['GET / HTTP/2.0', 'Host: a']],
  [505, 'Only HTTP/1.1 and HTTP/1.0 are supported.', ['GET / HTTP/0.9', 'Host: a']],
])('%i: %s %j', async (status, sentence, lines) => {
  expect(await flawOf(lines)).toEqual({ status, sentence });
});
