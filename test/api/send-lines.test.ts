import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSendLines } from '../../src/edges/api/send-lines.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { soon } from '../support/soon.ts';

const PIECE = Buffer.alloc(256 * 1024, 'x');
const WINDOW_MS = 200;
const LIMITS = { inAll: 4, perOwner: 2, windowMs: WINDOW_MS };

/** Lists of so many pieces at /<account>/<pieces>. */
async function startLists(limits: Parameters<typeof createSendLines>[0] = LIMITS) {
  const sendLines = createSendLines(limits);
  const server = createServer((request, answer) => {
    const response = Object.assign(answer, {
      req: request,
      locals: {},
      status: (code: number) => Object.assign(answer, { statusCode: code }),
      set: (name: string, value: string) => answer.setHeader(name, value),
    }) as unknown as Response;
    const [, account = '', count = ''] = request.url!.split('/');
    async function* pieces() {
      for (let n = 0; n < Number(count); n++) yield PIECE;
      if (count === 'failing') throw new Error('the store');
    }
    sendLines(account, response, pieces()).catch((error) => {
      if (!answer.headersSent) answer.writeHead(error instanceof Refusal ? 503 : 500).end();
      else answer.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return (account: string, pieces: number | 'failing') =>
    open((server.address() as AddressInfo).port, account, pieces);
}

/** Reads nothing yet. */
async function open(port: number, account: string, pieces: number | string): Promise<IncomingMessage> {
  const [answer] = await once(
    get({ port, host: '127.0.0.1', path: `/${account}/${pieces}`, agent: false }),
    'response',
  );
  answer.on('error', () => {});
  onTestFinished(() => void answer.destroy());
  return answer;
}

async function bytesOf(answer: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of answer) bytes += chunk.length;
  return bytes;
}

/** Some megabytes a second. */
function readSteadily(answer: IncomingMessage) {
  const read = { bytes: 0 };
  answer.on('data', async (chunk) => {
    read.bytes += chunk.length;
    answer.pause();
    await delay(5);
    answer.resume();
  });
  return read;
}

/** More lines than sockets hold. */
const LONG = 100;
/** More than a socket takes at once. */
const READ_ON = 8 * PIECE.length;

test('readers that are slow make room for a newcomer, one each, and those that are not go on', async () => {
  // A window passes only when the steady one has read on. Any byte is enough for it.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const windowMs = 3_600_000;
  const lists = await startLists({ ...LIMITS, windowMs, minBytesPerSecond: 1e-3 });
  const steady = readSteadily(await lists('steady', 1e9));
  const slow = [await lists('a', LONG), await lists('a', LONG), await lists('b', LONG)];
  expect((await lists('c', 1)).statusCode).toBe(503);
  const first = await vi.waitFor(async () => {
    const before = steady.bytes;
    await vi.waitFor(() => expect(steady.bytes - before).toBeGreaterThan(READ_ON), soon('the steady reader'));
    vi.advanceTimersByTime(windowMs);
    const answer = await lists('c', LONG);
    expect(answer.statusCode).toBe(200);
    return answer;
  }, soon('a place'));
  expect(await bytesOf(first)).toBe(LONG * PIECE.length);
  const isWhole = slow.map((answer) =>
    bytesOf(answer).then(
      (bytes) => bytes === LONG * PIECE.length,
      () => false,
    ),
  );
  expect((await Promise.all(isWhole)).sort()).toEqual([false, true, true]);
  const before = steady.bytes;
  await vi.waitFor(() => expect(steady.bytes).toBeGreaterThan(before), soon('the steady reader'));
});

test('a slow reader is not cut while there is room', async () => {
  const lists = await startLists();
  const slow = await lists('a', LONG);
  await delay(4 * WINDOW_MS);
  expect((await lists('b', 1)).statusCode).toBe(200);
  expect(await bytesOf(slow)).toBe(LONG * PIECE.length);
});

test('an account has no more than its places, however slow the others are', async () => {
  const lists = await startLists();
  const held = [
    await lists('a', LONG),
    await lists('a', LONG),
    await lists('b', LONG),
    await lists('b', LONG),
  ];
  await delay(3 * WINDOW_MS);
  expect((await lists('a', 1)).statusCode).toBe(503);
  expect((await lists('c', 1)).statusCode).toBe(200);
  for (const answer of held) answer.destroy();
});

test('a list that the system holds whole takes no place from anybody, even if nobody reads it', async () => {
  const lists = await startLists({ ...LIMITS, inAll: 1 });
  for (const account of ['a', 'b', 'c', 'd']) {
    const answer = await vi.waitFor(async () => {
      const opened = await lists(account, 2);
      expect(opened.statusCode).toBe(200);
      return opened;
    }, soon('a place'));
    answer.pause();
  }
});

test('a list that fails before its first piece sends nothing, and gives its place back', async () => {
  const lists = await startLists({ ...LIMITS, inAll: 1 });
  for (let n = 0; n < 3; n++) expect((await lists('a', 'failing')).statusCode).toBe(500);
  expect(await bytesOf(await lists('a', 0))).toBe(0);
});
