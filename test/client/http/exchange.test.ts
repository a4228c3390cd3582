import dns from 'node:dns';
import { once } from 'node:events';
import { type AgentOptions, createServer, globalAgent, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { exchange } from '../../../client/src/http/exchange.ts';
import { readAnswer } from '../../../client/src/http/read-answer.ts';

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

const get = (url: URL, timeoutMs = 60_000) => exchange({ method: 'GET', url, headers: {}, timeoutMs });

test('a server that is silent for too long', async () => {
  const url = await serve(() => {});
  await expect(get(url, 50)).rejects.toMatchObject({ code: 'TIMEOUT', isTemporary: true });
});

test('a reader that pauses for longer than the server may', async () => {
  const url = await serve((_request, response) => response.end(Buffer.alloc(1_000_000)));
  const response = await get(url, 400);
  let bytes = 0;
  for await (const chunk of response) {
    if (bytes === 0) await delay(1000);
    bytes += chunk.length;
  }
  expect(bytes).toBe(1_000_000);
});

test('a server that is silent after a source that was', async () => {
  const url = await serve((request) => request.resume());
  async function* body() {
    yield Buffer.from('a');
    await delay(200);
    yield Buffer.from('b');
  }
  const sent = exchange({ method: 'POST', url, headers: {}, body: body(), timeoutMs: 50 });
  await expect(sent).rejects.toMatchObject({ code: 'TIMEOUT', isTemporary: true });
});

test('a name server that takes longer than the agent waits', async () => {
  const url = await serve((_request, response) => response.end('late'));
  url.hostname = 'localhost';
  const { options } = globalAgent as unknown as { readonly options: AgentOptions };
  const { timeout } = options;
  options.timeout = 20;
  const lookUp = dns.lookup as (...args: unknown[]) => void;
  const slowly = vi.spyOn(dns, 'lookup').mockImplementation(((...args: unknown[]) => {
    setTimeout(lookUp, 100, ...args);
  }) as typeof dns.lookup);
  onTestFinished(() => {
    Object.assign(options, { timeout });
    slowly.mockRestore();
  });
  expect(Buffer.concat(await (await get(url)).toArray()).toString()).toBe('late');
  expect(slowly).toHaveBeenCalled();
});

test('a connection that ends before the answer', async () => {
  const url = await serve((request) => request.socket.destroy());
  await expect(get(url)).rejects.toThrow();
});

test('a server that sends 100 Continue gets the body after it, and any other too', async () => {
  async function* body() {
    yield Buffer.from('a');
    yield Buffer.from('b');
  }
  const url = await serve(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    response.end(Buffer.concat(parts));
  });
  const response = await exchange({ method: 'POST', url, headers: {}, body: body(), timeoutMs: 60_000 });
  expect(Buffer.concat(await response.toArray()).toString()).toBe('ab');
});

describe('an answer', () => {
  test.for([
    [200, '{"success":true,"data":[1]}', {}, undefined],
    [200, '<html>', {}, { code: 'BAD_ANSWER', isTemporary: false }],
    [200, '{"success":false}', {}, { code: 'BAD_ANSWER' }],
    [502, '<html>', {}, { code: 'BAD_ANSWER', isTemporary: true }],
    [503, '{"error":{"code":"A","message":"b"}}', {}, { code: 'A', isTemporary: false }],
    [503, '{"error":{"code":"A"}}', { 'Retry-After': '7' }, { isTemporary: true, retryAfterSeconds: 7 }],
    [409, '{"error":{"code":"A"}}', { 'Retry-After': 'soon' }, { isTemporary: false }],
    [
      429,
      '{"error":{"code":"A"}}',
      { 'Retry-After': 'Thu, 01 Jan 1970 00:00:00 GMT' },
      { retryAfterSeconds: 0 },
    ],
    [
      503,
      '{"error":{"code":"A"}}',
      { 'Retry-After': 'Thu, 01 Jan 2026 00:00:09 GMT', Date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
      { isTemporary: true, retryAfterSeconds: 9 },
    ],
    [422, '{"error":{"code":"A","message":"b","details":[]}}', {}, { details: {}, status: 422 }],
    [422, '{"error":"no"}', {}, { code: 'BAD_ANSWER', status: 422 }],
    [500, 'null', {}, { code: 'BAD_ANSWER', isTemporary: true }],
  ] as const)('of %d with %s', async ([status, text, headers, error]) => {
    const url = await serve((_request, response) => response.writeHead(status, headers).end(text));
    const answer = readAnswer(await get(url));
    if (error === undefined) expect(await answer).toEqual(JSON.parse(text));
    else await expect(answer).rejects.toMatchObject(error);
  });

  test('without an end is given up', async () => {
    const url = await serve((_request, response) => {
      const piece = Buffer.alloc(1024 * 1024, 0x20);
      const write = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', write);
      write();
    });
    await expect(readAnswer(await get(url))).rejects.toMatchObject({ code: 'BAD_ANSWER' });
  });
});
