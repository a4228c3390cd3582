import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { ConnectionLimits } from '../../../src/platform/http/connection-limits.ts';
import { listen } from '../../../src/platform/http/http-server.ts';
import { answerAndLinger } from '../../../src/platform/http/linger.ts';
import { once } from '../../support/soon.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** A server that answers only on demand. */
async function startServer(limits: Partial<ConnectionLimits>) {
  const refused: object[] = [];
  const waiting: ((response: ServerResponse) => void)[] = [];
  const server = createServer((_, response) => waiting.shift()?.(response));
  onTestFinished(() => void server.close().closeAllConnections());
  const port = await listen(
    server,
    { address: '127.0.0.1', port: 0, variable: 'PORT' },
    { max: 100, perClient: 100, isTrusted: () => false, onRefused: (one) => refused.push(one), ...limits },
  );
  return {
    refused,
    /** Resolves when the server has the connection. */
    async connect(localAddress = '127.0.0.1'): Promise<Socket> {
      const accepted = once(server, 'connection');
      const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
      onTestFinished(() => void socket.destroy());
      await accepted;
      return socket;
    },
    /** Returns the response to a request that waits for its answer. */
    async ask(socket: Socket, request = GET): Promise<ServerResponse> {
      const asked = new Promise<ServerResponse>((resolve) => waiting.push(resolve));
      socket.write(request);
      return asked;
    },
  };
}

const ended = (socket: Socket) => once(socket.resume(), 'close');
async function isServed(server: Awaited<ReturnType<typeof startServer>>, socket: Socket): Promise<boolean> {
  const response = await server.ask(socket);
  response.end();
  return (await once(socket, 'data')).length > 0;
}

test('when all places are taken, the connection idle for the longest time makes room', async () => {
  const server = await startServer({ max: 3 });
  const [first, second, third] = [await server.connect(), await server.connect(), await server.connect()];
  // Now the second connection is the one idle for the longest time.
  await isServed(server, first!);
  const fourth = await server.connect();
  await ended(second!);
  for (const socket of [first!, third!, fourth]) expect(await isServed(server, socket)).toBe(true);
  expect(server.refused).toEqual([]);
});

test('when all connections have requests under way, the new one is refused', async () => {
  const server = await startServer({ max: 2 });
  const busy = [await server.connect(), await server.connect()];
  const answers = [await server.ask(busy[0]!), await server.ask(busy[1]!)];
  await ended(await server.connect());
  expect(server.refused).toEqual([{ client: '127.0.0.1', limit: 'max' }]);
  answers[0]!.end();
  await once(busy[0]!, 'data');
  await server.connect('127.0.0.2');
  await ended(busy[0]!);
});

test('a client beyond its share loses only its own connections', async () => {
  const server = await startServer({ perClient: 2 });
  const other = await server.connect('127.0.0.2');
  const [first, second] = [await server.connect(), await server.connect()];
  const third = await server.connect();
  await ended(first!);
  await server.ask(second!);
  await server.ask(third);
  await ended(await server.connect());
  expect(server.refused).toEqual([{ client: '127.0.0.1', limit: 'perClient' }]);
  expect(await isServed(server, other)).toBe(true);
});

test('our own proxies have no share, and count in the total', async () => {
  const server = await startServer({ max: 3, perClient: 1, isTrusted: (address) => address === '127.0.0.1' });
  const sockets = [await server.connect(), await server.connect(), await server.connect()];
  for (const socket of sockets) await server.ask(socket);
  await ended(await server.connect());
  expect(server.refused).toEqual([{ client: '127.0.0.1', limit: 'max' }]);
});

test('closed connections free their places', async () => {
  const server = await startServer({ max: 2, perClient: 2 });
  for (let i = 0; i < 20; i++) {
    const socket = await server.connect();
    const response = await server.ask(socket);
    const closed = once(response, 'close');
    // A connection that ends in order is kept for a moment, because its client may still read.
    socket.resetAndDestroy();
    await closed;
  }
  expect(server.refused).toEqual([]);
});

test('a client that has its answer and never ends its request makes room for another', async () => {
  const { connect, ask, refused } = await startServer({ max: 1 });
  const lingers = await connect();
  const asked = ask(lingers, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n');
  const response = await asked;
  response.setHeader('Content-Length', 2);
  answerAndLinger(response.req, response, 'no');
  await once(lingers, 'data');
  const closed = ended(lingers);
  const other = await connect();
  await closed;
  (await ask(other)).end('yes');
  expect(String(await once(other, 'data'))).toContain('yes');
  expect(refused).toEqual([]);
});
