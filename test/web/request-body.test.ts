/** Bodies of clients that go away before they are read, and bodies of many clients at once. */
import { createServer, request as sendRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
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

test('many bodies that wait for their readers take little memory, and all arrive whole', async () => {
  const [bodies, length] = [32, 4 * 1024 * 1024];
  const [arrived, mayRead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lengths: number[] = [];
  let [begun, taken] = [0, 0];
  const limits = {
    ...{ maxBytes: 2 * length, timeoutMs: 60_000 },
    received: (chunk: Uint8Array) => {
      taken += chunk.length;
    },
  };
  await using server = createServer(async (request, response) => {
    if (++begun === bodies) arrived.resolve();
    await arrived.promise;
    let read = 0;
    for await (const chunk of receiveBody(request, response, limits)) {
      read += chunk.length;
      await mayRead.promise;
    }
    lengths.push(read);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sent = Array.from({ length: bodies }, async () => {
    const client = sendRequest({ port, method: 'POST' });
    client.end(Buffer.alloc(length));
    const [response] = await once(client, 'response');
    response.resume();
  });
  await arrived.promise;
  for (let before = -1; before !== taken || taken === 0; await delay(300)) before = taken;
  const waiting = taken;
  mayRead.resolve();
  await Promise.all(sent);
  expect(waiting).toBeLessThan((bodies * length) / 10);
  expect(lengths).toEqual(Array(bodies).fill(length));
});
