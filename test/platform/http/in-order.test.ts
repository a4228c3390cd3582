import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/platform/http/http-server.ts';
import { inOrder, type WaitingLimits } from '../../../src/platform/http/in-order.ts';
import { once } from '../../support/soon.ts';

interface Handled {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A server that hands its requests to the test to answer. */
async function startServer(limits?: WaitingLimits) {
  const handled: Handled[] = [];
  const begun: ((handled: Handled) => void)[] = [];
  const server = createServer(
    inOrder((request, response) => {
      handled.push({ request, response });
      begun.shift()?.({ request, response });
    }, limits),
  );
  onTestFinished(() => void server.close().closeAllConnections());
  const port = await listen(server, { address: '127.0.0.1', port: 0, variable: 'PORT' });
  return {
    server,
    handled,
    next: () => new Promise<Handled>((resolve) => begun.push(resolve)),
    connect: () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      onTestFinished(() => void socket.destroy());
      return socket;
    },
  };
}

const get = (path: string | number) => `GET /${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const gets = (count: number) => Array.from({ length: count }, (_, n) => get(n)).join('');
const pathsIn = (received: string) => received.match(/(?<=\n)\/\d+(?=HTTP|$)/g) ?? [];

test('requests of one connection are handled one after the other, in order', async () => {
  const server = await startServer();
  const socket = server.connect();
  let at = server.next();
  socket.write(gets(20));
  for (let n = 0; n < 20; n++) {
    const { request, response } = await at;
    expect(request.url).toBe(`/${n}`);
    expect(server.handled).toHaveLength(n + 1);
    at = server.next();
    response.end(`/${n}`);
  }
});

test('requests of other connections do not wait for them', async () => {
  const server = await startServer();
  const first = server.next();
  server.connect().write(gets(2));
  await first;
  const other = server.next();
  server.connect().write(get('other'));
  expect((await other).request.url).toBe('/other');
});

test('at the limit, the waiting requests are answered, later ones are dropped, and the connection ends', async () => {
  const server = await startServer({ perConnection: 3, inAll: 1000 });
  const socket = server.connect();
  let emitted = 0;
  server.server.on('request', () => emitted++);
  let at = server.next();
  socket.write(gets(50));
  for (let n = 0; n < 4; n++) {
    const { response } = await at;
    at = server.next();
    response.end(`/${n}`);
  }
  const received = Buffer.concat(await socket.toArray()).toString();
  expect(pathsIn(received)).toEqual(['/0', '/1', '/2', '/3']);
  expect(received.match(/Connection: .*/g)?.at(-1)).toBe('Connection: close');
  expect(server.handled).toHaveLength(4);
  // Node emits no request for the others.
  expect(emitted).toBe(4);
});

test('beyond the total limit the connection is cut', async () => {
  const server = await startServer({ perConnection: 30, inAll: 10 });
  const socket = server.connect();
  socket.write(gets(50));
  await once(socket.resume(), 'close');
  expect(server.handled).toHaveLength(1);
  // Waiting requests of the closed connection no longer count.
  for (let i = 0; i < 20; i++) {
    const other = server.connect();
    const begun = server.next();
    other.write(gets(3));
    await begun;
    const second = server.next();
    server.handled.at(-1)!.response.end();
    await second;
    const closed = once(server.handled.at(-1)!.response, 'close');
    other.destroy();
    await closed;
  }
});

test('the waiting requests of a closed connection are not handled', async () => {
  const server = await startServer();
  const socket = server.connect();
  const begun = server.next();
  socket.write(gets(5));
  const { response } = await begun;
  socket.destroy();
  await once(response, 'close');
  const other = server.next();
  server.connect().write(get('other'));
  await other;
  expect(server.handled.map(({ request }) => request.url)).toEqual(['/0', '/other']);
});
