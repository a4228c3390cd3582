import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { closeServer } from '../../src/platform/http/http-server.ts';
import { once } from '../support/soon.ts';
import { exchange, parseAnswer, rawExchange } from './exchange.ts';
import { publishSite } from './hosted-site.ts';
import { HOSTNAME, startHosting } from './start-hosting.ts';

const request = (path: string, ...lines: string[]) =>
  [`GET ${path} HTTP/1.1`, `Host: ${HOSTNAME}`, ...lines, '', ''].join('\r\n');

test('pipelined requests are answered in order on one connection', async () => {
  await using hosting = await startHosting();
  await publishSite(hosting.storage, {
    sitemaps: [
      { uploadId: 'u', files: ['<urlset>u</urlset>'] },
      { uploadId: 'v', name: 'v', files: ['<urlset>v</urlset>'] },
    ],
  });
  const received = await rawExchange(
    hosting.port,
    request('/sitemap.xml') +
      request('/unknown') +
      request('/sitemap-v.xml', 'If-None-Match: *') +
      request('/sitemap-v.xml', 'Connection: close'),
  );
  const statuses = received.toString().match(/(?<=HTTP\/1\.1 )\d+/g);
  expect(statuses).toEqual(['200', '404', '304', '200']);
  expect(received.toString()).toMatch(/<urlset>u<.*<urlset>v<\/urlset>$/s);
});

test('a client that waits for 100 Continue gets its final answer instead', async () => {
  await using hosting = await startHosting();
  const { status, headers } = await exchange(
    hosting.port,
    `PUT /sitemap.xml HTTP/1.1\r\nHost: ${HOSTNAME}\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
  );
  expect([status, headers.connection]).toEqual([405, 'close']);
});

test('a request under way finishes during shutdown, and is the last of its connection', async () => {
  await using hosting = await startHosting();
  await publishSite(hosting.storage);
  const { promise, resolve } = Promise.withResolvers<void>();
  hosting.faults.gate = promise;
  const asked = once(hosting.server, 'request');
  const answer = rawExchange(hosting.port, request('/robots.txt'));
  await asked;
  const closed = closeServer(hosting.server, { graceMs: 60_000, idleMs: 0 });
  resolve();
  const { status, headers } = parseAnswer(await answer);
  expect([status, headers.connection]).toEqual([200, 'close']);
  await closed;
});

test('an idle connection is kept for its next request, and then ended', async () => {
  await using hosting = await startHosting({ keepAliveTimeoutMs: 50 });
  const socket: Socket = connect(hosting.port, '127.0.0.1');
  socket.write(request('/healthz'));
  const received = Buffer.concat(await socket.toArray());
  expect(parseAnswer(received).headers.connection).toBe('keep-alive');
});

test('a bug is answered with a constant 500 and logged', async () => {
  await using hosting = await startHosting();
  await publishSite(hosting.storage);
  // A frozen count makes counting throw. A failure of the store would be a 503.
  Object.freeze(hosting.counts.sites);
  const { status, body } = await hosting.get('/robots.txt');
  expect([status, body.toString()]).toEqual([500, 'Internal error.\n']);
  expect(hosting.logged.map(({ message }) => message)).toEqual(['request failed']);
});
