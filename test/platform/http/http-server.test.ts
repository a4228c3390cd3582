import { createServer, type RequestListener, request, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectSecurely, createServer as createSecureServer } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { closeServer, listen, listenSecurely } from '../../../src/platform/http/http-server.ts';
import { ConfigError } from '../../../src/platform/process/config-error.ts';
import { once } from '../../support/soon.ts';
import { testServerKeys } from '../../support/test-authority.ts';

const FREE = { address: '127.0.0.1', port: 0, variable: 'API_PORT' };
/** Anything that waits for one of these exceeds the time of the test. */
const PATIENT = { graceMs: 60_000, idleMs: 60_000 };
const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** A client with one connection. An exchange ends with the server's piece of bytes that ends an answer. */
async function openClient(port: number) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return {
    socket,
    async exchange(bytes: string): Promise<string> {
      socket.write(bytes);
      let received = '';
      while (!/\r\n\r\n.*(whole|0\r\n\r\n|\])$/s.test(received)) {
        received += (await once(socket, 'data'))[0];
      }
      return received;
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

function newServer(listener?: RequestListener): Server {
  const server = createServer(listener);
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return server;
}

test('port 0 chooses a free port and returns it', async () => {
  const server = newServer((_, response) => response.end('here'));
  // Waiting for the client to hang up takes for ever.
  server.keepAliveTimeout = 3_600_000;
  const port = await listen(server, FREE);
  const answer = await fetch(`http://127.0.0.1:${port}`);
  expect(await answer.text()).toBe('here');
});

describe.each(['HTTP', 'HTTPS'])('a client that closes its half of a connection over %s', (scheme) => {
  async function connectTo(server: Server) {
    // Waiting for the client to hang up takes for ever.
    server.keepAliveTimeout = 3_600_000;
    const plain = await listen(server, FREE);
    if (scheme === 'HTTP') return connect(plain, '127.0.0.1');
    const secure = createSecureServer(testServerKeys);
    onTestFinished(() => void secure.close());
    const port = await listenSecurely(secure, server, FREE);
    return connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false });
  }

  test('behind its requests gets all answers', async () => {
    const server = newServer((request, response) => {
      setTimeout(() => response.end(`answer to ${request.url}`), 20);
    });
    const socket = await connectTo(server);
    socket.end('GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await text(socket)).toMatch(/answer to \/1HTTP[\s\S]*answer to \/2$/);
  });

  test('does not keep it without an answer', async () => {
    const server = newServer(() => {});
    const asked = once(server, 'request');
    const socket = await connectTo(server);
    socket.end(GET);
    const [, response] = await asked;
    await once(response, 'close');
    expect(response.headersSent).toBe(false);
    expect(await text(socket)).toBe('');
  });
});

test('a client that has closed its half of the connection and reads slowly gets the answers before the last one, too', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const large = 'x'.repeat(32 * 1024 * 1024);
  let first: ServerResponse | undefined;
  const server = newServer((_, response) => {
    first?.once('close', () => response.end('last'));
    first ??= response;
  });
  const connected = once(server, 'connection');
  const socket = connect(await listen(server, FREE), '127.0.0.1');
  const [serverSide] = await connected;
  const closed = once(serverSide, 'end');
  socket.end(GET + GET);
  await closed;
  first!.end(large);
  await once(socket, 'readable');
  // It has read next to nothing for a long time.
  vi.advanceTimersByTime(10_000);
  const received = await text(socket);
  expect(received.length).toBeGreaterThan(large.length);
  expect(received.slice(-4)).toBe('last');
});

test('a port in use is a ConfigError that names the port and the variable', async () => {
  const port = await listen(newServer(), FREE);
  const second = listen(newServer(), { ...FREE, port });
  await expect(second).rejects.toBeInstanceOf(ConfigError);
  await expect(second).rejects.toThrow(new RegExp(`${port}.*API_PORT`));
});

test('an address of another machine is a ConfigError that names its setting', async () => {
  // RFC 5737: an address for documentation, so no machine has it.
  const listening = listen(newServer(), { ...FREE, address: '192.0.2.1' });
  await expect(listening).rejects.toBeInstanceOf(ConfigError);
  await expect(listening).rejects.toThrow('BIND_ADDRESS');
  const others = listen(newServer(), { ...FREE, address: '192.0.2.1', addressVariable: 'METRICS_ADDRESS' });
  await expect(others).rejects.toThrow('METRICS_ADDRESS');
});

test('an error after the start is not swallowed', async () => {
  const server = newServer();
  await listen(server, FREE);
  expect(() => server.emit('error', new Error('later'))).toThrow('later');
});

test('a request under way is answered before the server closes, and no new one is accepted', async () => {
  const arrived = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  const server = newServer(async (_, response) => {
    arrived.resolve();
    await mayAnswer.promise;
    response.end('whole');
  });
  // Waiting for the client to hang up takes for ever.
  server.keepAliveTimeout = 3_600_000;
  const port = await listen(server, FREE);
  const answer = fetch(`http://127.0.0.1:${port}`).then((response) => response.text());
  await arrived.promise;
  const closed = closeServer(server, PATIENT);
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  mayAnswer.resolve();
  expect(await answer).toBe('whole');
  await closed;
  expect(server.listening).toBe(false);
});

test('a request that does not end is cut after its grace period', async () => {
  const server = newServer(() => {});
  const port = await listen(server, FREE);
  const sent = request({ port, host: '127.0.0.1' }).end();
  const failed = once(sent, 'error');
  await once(server, 'request');
  await closeServer(server, { graceMs: 1, idleMs: 60_000 });
  expect((await failed)[0]).toMatchObject({ code: 'ECONNRESET' });
});

test('an idle connection is closed after its own grace period', async () => {
  const server = newServer((_, response) => response.end());
  const port = await listen(server, FREE);
  const connected = once(server, 'connection');
  // One connection has had an answer, and the other never sent anything.
  await (await fetch(`http://127.0.0.1:${port}`)).arrayBuffer();
  await connected;
  const silent = connect(port, '127.0.0.1');
  await once(server, 'connection');
  await closeServer(server, { graceMs: 60_000, idleMs: 1 });
  if (!silent.closed) await once(silent.resume(), 'close');
});

test('an idle connection may send one more request within its grace period, and is then closed', async () => {
  const server = newServer((_, response) => response.end('whole'));
  const port = await listen(server, FREE);
  using client = await openClient(port);
  expect(await client.exchange(GET)).toContain('Connection: keep-alive');
  const closed = closeServer(server, PATIENT);
  expect(await client.exchange(GET)).toMatch(/Connection: close.*whole$/s);
  await closed;
});

test('the grace period of a connection starts with its last answer that said keep-alive', async () => {
  const mayEnd = Promise.withResolvers<void>();
  const server = newServer(async (_, response) => {
    response.write('who');
    await mayEnd.promise;
    response.end('le');
  });
  const port = await listen(server, FREE);
  using client = await openClient(port);
  const first = client.exchange(GET);
  await once(server, 'request');
  const closed = closeServer(server, PATIENT);
  mayEnd.resolve();
  expect(await first).toContain('Connection: keep-alive');
  expect(await client.exchange(GET)).toContain('Connection: close');
  await closed;
});

test('pipelined requests that arrive during the close are all answered', async () => {
  const server = newServer((incoming, response) => setImmediate(() => response.end(`[${incoming.url}]`)));
  const port = await listen(server, FREE);
  using client = await openClient(port);
  await client.exchange(GET);
  const closed = closeServer(server, PATIENT);
  client.socket.write(['/a', '/b', '/c'].map((path) => GET.replace('/', path)).join(''));
  const received = Buffer.concat(await client.socket.toArray()).toString();
  expect(received.match(/\[.*?\]|Connection: [a-z-]+/g)).toEqual([
    'Connection: keep-alive',
    '[/a]',
    'Connection: keep-alive',
    '[/b]',
    'Connection: close',
    '[/c]',
  ]);
  await closed;
});

test('a server that never listened closes at once', async () => {
  await closeServer(createServer(), PATIENT);
});
