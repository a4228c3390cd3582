/** Bodies of clients that go away after they have sent everything, and before anybody reads. */
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { ClientGone, receiveBody } from '../../src/core/web/request-body.ts';
import { collect } from '../support/collect.ts';
import { once } from '../support/soon.ts';

const LIMITS = { maxBytes: 1_000_000, timeoutMs: 60_000 };
const read = Promise.withResolvers<unknown>();

/** Reads a body when its client is gone. */
const server = createServer(async (request, response) => {
  await new Promise((resolve) => request.once('close', resolve));
  read.resolve(await collect(receiveBody(request, response, LIMITS)).catch((error) => error));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => new Promise((resolve) => server.close(resolve)));

test('a complete body whose client has gone fails at once, because nothing of it comes any more', async () => {
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello');
  await once(server, 'request');
  client.resetAndDestroy();
  expect(await read.promise).toBeInstanceOf(ClientGone);
});
