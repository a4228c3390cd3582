import { once } from 'node:events';
import { createServer, type RequestListener, request, type Server } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../src/platform/config-error.ts';
import { closeServer, listen } from '../../src/platform/http-server.ts';

const FREE = { address: '127.0.0.1', port: 0, variable: 'API_PORT' };

function newServer(listener?: RequestListener): Server {
  const server = createServer(listener);
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return server;
}

test('a free port is chosen for 0, and answered', async () => {
  const server = newServer((_, response) => response.end('here'));
  // Whoever waits for the client to hang up waits for ever.
  server.keepAliveTimeout = 3_600_000;
  const port = await listen(server, FREE);
  const answer = await fetch(`http://127.0.0.1:${port}`);
  expect(await answer.text()).toBe('here');
});

test('a port in use is a ConfigError that names the port and the variable', async () => {
  const port = await listen(newServer(), FREE);
  const second = listen(newServer(), { ...FREE, port });
  await expect(second).rejects.toBeInstanceOf(ConfigError);
  await expect(second).rejects.toThrow(new RegExp(`${port}.*API_PORT`));
});

test('an address that is not ours is a ConfigError that names BIND_ADDRESS', async () => {
  // RFC 5737: for documentation, so no machine has it.
  const listening = listen(newServer(), { ...FREE, address: '192.0.2.1' });
  await expect(listening).rejects.toBeInstanceOf(ConfigError);
  await expect(listening).rejects.toThrow('BIND_ADDRESS');
});

test('an error after the start is not swallowed', async () => {
  const server = newServer();
  await listen(server, FREE);
  expect(() => server.emit('error', new Error('later'))).toThrow('later');
});

test('a request under way is answered before the server is closed, and no new one is taken', async () => {
  const arrived = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  const server = newServer(async (_, response) => {
    arrived.resolve();
    await mayAnswer.promise;
    response.end('whole');
  });
  // Whoever waits for the client to hang up waits for ever.
  server.keepAliveTimeout = 3_600_000;
  const port = await listen(server, FREE);
  const answer = fetch(`http://127.0.0.1:${port}`).then((response) => response.text());
  await arrived.promise;
  const closed = closeServer(server, 60_000);
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  mayAnswer.resolve();
  expect(await answer).toBe('whole');
  await closed;
  expect(server.listening).toBe(false);
});

test('a request that does not end is cut after the time of grace', async () => {
  const server = newServer(() => {});
  const port = await listen(server, FREE);
  const sent = request({ port, host: '127.0.0.1' }).end();
  const failed = once(sent, 'error');
  await once(server, 'request');
  await closeServer(server, 1);
  expect((await failed)[0]).toMatchObject({ code: 'ECONNRESET' });
});

test('an idle connection does not hold up the end', async () => {
  const server = newServer((_, response) => response.end());
  const port = await listen(server, FREE);
  await (await fetch(`http://127.0.0.1:${port}`)).arrayBuffer();
  await closeServer(server, 60_000);
});

test('a server that never listened is closed at once', async () => {
  await closeServer(createServer(), 60_000);
});
