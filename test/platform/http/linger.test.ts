/** test/service/7-early-answers.test.ts tests the bytes that clients see. */
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/platform/http/http-server.ts';
import { answerAndLinger } from '../../../src/platform/http/linger.ts';
import { refuseMalformed } from '../../../src/platform/http/refuse-malformed.ts';
import { once } from '../../support/soon.ts';

const BODY = 'refused';

/** A server that refuses everything, and a client that has sent the head of a request. */
async function refusedClient(fields: string, limits = { maxMs: 60_000, maxBytes: 1e9 }) {
  const server = createServer((request, response) => {
    response.writeHead(422, { 'Content-Length': BODY.length });
    answerAndLinger(request, response, BODY, limits);
  });
  refuseMalformed(server, () => ({ fields: {}, body: '' }));
  const port = await listen(server, { address: '127.0.0.1', port: 0, variable: 'API_PORT' });
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => {
    client.destroy();
    server.close().closeAllConnections();
  });
  const asked = once(server, 'request') as Promise<[IncomingMessage]>;
  client.write(`POST / HTTP/1.1\r\nHost: a.example\r\n${fields}\r\n\r\n`);
  const [request] = await asked;
  return { client, request };
}

async function receives(client: Socket, text: string): Promise<void> {
  let received = '';
  for await (const chunk of client.iterator({ destroyOnReturn: false })) {
    received += String(chunk);
    if (received.includes(text)) return;
  }
  throw new Error(`closed before ${text} came, after ${received}`);
}

test('the answer comes before the rest of the request, and the connection continues after it', async () => {
  const { client, request } = await refusedClient('Content-Length: 8');
  await receives(client, BODY);
  expect(request.complete).toBe(false);
  client.write('12345678POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0\r\n\r\n');
  await receives(client, BODY);
});

test('a connection that should close ends when the request ends', async () => {
  const { client, request } = await refusedClient('Connection: close\r\nContent-Length: 8');
  await receives(client, BODY);
  client.write('12345678');
  await once(client.resume(), 'end');
  expect(request.complete).toBe(true);
});

test.each([
  ['in all', { maxMs: 60_000, maxBytes: 1_000_000 }, 2_000_000],
  ['for too long', { maxMs: 1, maxBytes: 1e9 }, 10],
])(
  'our end half-closes if a client sends too much %s, and then closes fully',
  async (_what, limits, bytes) => {
    const { client, request } = await refusedClient('Content-Length: 100000000', limits);
    const cut = once(request.socket, 'close');
    client.write(Buffer.alloc(bytes));
    await receives(client, BODY);
    await once(client.resume(), 'end');
    expect(request.socket.destroyed).toBe(false);
    // The client never closes its own end.
    await cut;
  },
);

test('a malformed body ends the connection after the answer', async () => {
  const { client } = await refusedClient('Transfer-Encoding: chunked');
  await receives(client, BODY);
  client.write('no chunk at all\r\n');
  await once(client.resume(), 'end');
});
