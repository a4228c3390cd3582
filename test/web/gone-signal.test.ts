import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { goneSignal } from '../../src/core/web/gone-signal.ts';
import { ClientGone } from '../../src/core/web/request-body.ts';

test('the signal aborts when the client leaves, also if it left before', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const asking = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  const isAsked = once(server, 'request') as Promise<[unknown, ServerResponse]>;
  asking.on('error', () => {}).end();
  const [, response] = await isAsked;
  const signal = goneSignal(response);
  expect(signal.aborted).toBe(false);
  asking.destroy();
  await once(signal, 'abort');
  expect(signal.reason).toBeInstanceOf(ClientGone);
  expect(goneSignal(response).reason).toBeInstanceOf(ClientGone);
  server.close();
});
