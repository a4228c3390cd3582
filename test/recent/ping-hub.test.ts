import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import { createPingHub } from '../../src/features/recent/ping-hub.ts';
import { createAskOutside } from '../../src/platform/http/outbound.ts';

const FEED = 'https://maps.example.com/changes.atom';
const shown = async () => true;
const outcomes: string[] = [];
const ask = createAskOutside({ allowedRanges: [], report: (_kind, outcome) => outcomes.push(outcome) });
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
  outcomes.length = 0;
});

async function listen(answer: (response: ServerResponse) => void) {
  const heard: { method: string | undefined; type: string | undefined; form: object }[] = [];
  const server = createServer(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    heard.push({ method: request.method, type: request.headers['content-type'], form });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { hub: `http://127.0.0.1:${(server.address() as AddressInfo).port}/publish`, heard };
}

test('the hub gets one POST with the address of the feed', async () => {
  const { hub, heard } = await listen((response) => response.writeHead(204).end());
  createPingHub(ask, hub, 0)(FEED, shown);
  await vi.waitFor(() => expect(outcomes).toEqual(['2xx']));
  expect(heard).toEqual([
    {
      method: 'POST',
      type: 'application/x-www-form-urlencoded',
      form: { 'hub.mode': 'publish', 'hub.url': FEED },
    },
  ]);
});

test('a ping waits until hosting shows the new version', async () => {
  vi.useFakeTimers();
  ends.push(() => vi.useRealTimers());
  const asked: string[] = [];
  const hub = 'https://hub.example.net/';
  createPingHub((request) => {
    asked.push(String(request.url));
    return new Promise(() => {});
  }, hub)(FEED, shown);
  // Hosting shows a publication within 1.5 s.
  await vi.advanceTimersByTimeAsync(1500);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toEqual([hub]);
});

test('a ping waits for a site that could not be written, and for a database that is down', async () => {
  vi.useFakeTimers();
  ends.push(() => vi.useRealTimers());
  const asked: string[] = [];
  const hub = 'https://hub.example.net/';
  const looks = [Promise.resolve(false), Promise.reject(new Error('down')), Promise.resolve(true)];
  for (const look of looks) look.catch(() => {});
  createPingHub((request) => {
    asked.push(String(request.url));
    return new Promise(() => {});
  }, hub)(FEED, () => looks.shift()!);
  await vi.advanceTimersByTimeAsync(2000 + 2 * 10_000 + 1500);
  expect(looks).toEqual([]);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toEqual([hub]);
});

test('a ping that fails is not sent again', async () => {
  const { hub, heard } = await listen((response) => response.writeHead(503).end());
  const ping = createPingHub(ask, hub, 0);
  ping(FEED, shown);
  await vi.waitFor(() => expect(outcomes).toEqual(['5xx']));
  createPingHub(ask, 'http://127.0.0.1:1/', 0)(FEED, shown);
  await vi.waitFor(() => expect(outcomes).toEqual(['5xx', 'unreachable']));
  expect(heard).toHaveLength(1);
});

test('a hub that hangs holds up nobody, and gets a few requests only', async () => {
  const { hub, heard } = await listen(() => {});
  const ping = createPingHub(ask, hub, 0);
  for (let i = 0; i < 50; i++) ping(FEED, shown);
  await vi.waitFor(() => expect(heard).toHaveLength(16));
  ping(FEED, shown);
  // The timer of the ping comes first.
  await new Promise((resolve) => setTimeout(resolve, 1));
  for (const end of ends.splice(0)) end();
  await vi.waitFor(() => expect(outcomes).toHaveLength(16));
  expect(heard).toHaveLength(16);
  ping(FEED, shown);
  await vi.waitFor(() => expect(outcomes).toHaveLength(17));
});
