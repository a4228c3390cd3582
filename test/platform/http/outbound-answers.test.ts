/** Peers that answer badly, slowly, too much or not at all. Every request ends, and so does its connection. */
import type { Socket } from 'node:net';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAskOutside, type OutboundRequest } from '../../../src/platform/http/outbound.ts';
import { OutboundError, shownFailure } from '../../../src/platform/http/outbound-error.ts';
import { endlessly, startRawPeer } from '../../support/raw-peer.ts';
import { SOON } from '../../support/soon.ts';

const peer = await startRawPeer();
afterAll(() => peer[Symbol.asyncDispose]());
const { url, allClosed } = peer;

const reported: unknown[] = [];
const askOutside = createAskOutside({
  allowedRanges: ['127.0.0.0/8'],
  userAgent: 'Waypost/1 (+https://example.net)',
  report: (kind, outcome) => void reported.push(`${kind} ${outcome}`),
});
const ask = (more: Partial<OutboundRequest> = {}) =>
  askOutside({ kind: 'robots.txt', url, timeoutMs: 60_000, maxBodyBytes: 100, ...more });

beforeEach(() => {
  reported.length = 0;
});

/** Each byte in a packet of its own. */
function byteByByte(socket: Socket, text: string): void {
  socket.setNoDelay();
  let at = 0;
  const send = () => {
    if (socket.destroyed || at === text.length) return;
    socket.write(text[at++]!, () => setImmediate(send));
  };
  send();
}

test('a whole answer, with what was asked', async () => {
  let request = '';
  peer.answer = (socket, head) => {
    request = head;
    socket.end('HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello');
  };
  expect(await ask({ url: `${url}/a?b=c`, headers: { 'X-Own': 'd' } })).toEqual({
    status: 200,
    headers: { 'x-a': 'b', 'content-length': '5' },
    body: Buffer.from('hello'),
    isWhole: true,
    url: `${url}/a?b=c`,
  });
  expect(request).toMatch(/^GET \/a\?b=c HTTP\/1\.1\r\n/);
  expect(request).toContain('User-Agent: Waypost/1 (+https://example.net)\r\n');
  expect(request).toContain('Accept-Encoding: identity\r\n');
  expect(request).toContain('X-Own: d\r\n');
  expect(request).toContain('Connection: close\r\n');
  expect(reported).toEqual(['robots.txt 2xx']);
  await allClosed();
});

test('a body is posted with its length', async () => {
  let request = '';
  peer.answer = (socket, head) => {
    request = head;
    socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  };
  expect(await ask({ body: 'ä' })).toMatchObject({ status: 204, isWhole: true });
  expect(request).toMatch(/^POST \/ HTTP\/1\.1\r\n[\s\S]*Content-Length: 2\r\n[\s\S]*\r\n\r\nä$/);
});

describe('answers of which only the beginning is kept', () => {
  test.each([
    ['endless', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['huge', 'HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n'],
  ])('%s', async (_, head) => {
    peer.answer = (socket) => {
      socket.write(head);
      endlessly(socket, 'x'.repeat(65_536));
    };
    const { body, isWhole } = await ask();
    expect({ length: body.length, isWhole }).toEqual({ length: 100, isWhole: false });
    await allClosed();
  });

  test('endless chunks', async () => {
    peer.answer = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      endlessly(socket, '1\r\nx\r\n'.repeat(10_000));
    };
    expect(await ask()).toMatchObject({ isWhole: false });
    await allClosed();
  });

  test('exactly as long as is kept', async () => {
    peer.answer = (socket) =>
      void socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n${'x'.repeat(100)}`);
    expect(await ask()).toMatchObject({ isWhole: true });
  });

  test('without a body that anybody waits for', async () => {
    peer.answer = (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n');
    expect(await ask({ maxBodyBytes: 0 })).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    await allClosed();
  });
});

test('answers of the kind 1xx come before the answer', async () => {
  peer.answer = (socket) =>
    void socket.end(
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    );
  expect(await ask()).toMatchObject({ status: 200 });
});

describe('answers that cost too much are given up, long before their time', () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  test.each<[string, string, (socket: Socket) => void]>([
    [
      'endless 1xx',
      'informational',
      (socket) => endlessly(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(10)),
    ],
    [
      '1xx with long fields',
      'too much',
      (socket) => endlessly(socket, `HTTP/1.1 103 A\r\nX: ${'x'.repeat(15_000)}\r\n\r\n`),
    ],
    [
      'a head byte by byte',
      'a few bytes',
      (socket) => byteByByte(socket, `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(10_000)}`),
    ],
    [
      'a body byte by byte',
      'small pieces',
      (socket) => endlessly(socket, `${chunked}${'1\r\nx\r\n'.repeat(500_000)}`),
    ],
    [
      'chunks with long extensions',
      'small pieces',
      (socket) => endlessly(socket, `${chunked}${`1;${'x'.repeat(5_000)}\r\nx\r\n`.repeat(1_000)}`),
    ],
  ])('%s', async (_, why, behave) => {
    peer.answer = behave;
    const asking = ask({ maxBodyBytes: 500 * 1024 });
    await expect(asking).rejects.toMatchObject({
      reason: 'unreachable',
      message: expect.stringContaining(why),
    });
    await allClosed();
  });

  test('a large body in ordinary chunks is whole, and is the same', async () => {
    const body = Buffer.alloc(500 * 1024, 'robots');
    peer.answer = (socket) => {
      socket.write(chunked);
      for (let at = 0; at < body.length; at += 1000) {
        const piece = body.subarray(at, at + 1000);
        socket.write(`${piece.length.toString(16)}\r\n`);
        socket.write(piece);
        socket.write('\r\n');
      }
      socket.end('0\r\n\r\n');
    };
    const answered = await ask({ maxBodyBytes: body.length });
    expect(answered.isWhole).toBe(true);
    expect(answered.body.equals(body)).toBe(true);
  });

  test('large bodies of a host wait for one another, and small ones for nobody', async () => {
    const large: Socket[] = [];
    peer.answer = (socket, head) => {
      if (!head.startsWith('GET /large'))
        return void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      large.push(socket);
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n${'x'.repeat(100_000)}`);
    };
    const asking = Array.from({ length: 6 }, () => ask({ url: `${url}/large`, maxBodyBytes: 500_000 }));
    await vi.waitFor(() => expect(large).toHaveLength(6), SOON);
    expect(await ask()).toMatchObject({ isWhole: true });
    for (const socket of large) socket.end('x'.repeat(300_000));
    for (const { body, isWhole } of await Promise.all(asking)) {
      expect({ length: body.length, isWhole }).toEqual({ length: 400_000, isWhole: true });
    }
    await allClosed();
  });
});

describe('no answer in time', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['silence', () => {}],
    ['slow headers', (socket) => void socket.write('HTTP/1.1 200 OK\r\nX-A')],
    ['a slow body', (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx')],
    [
      'a redirect to silence',
      (socket) => void socket.write('HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 1\r\n\r\n'),
    ],
  ])('%s', async (_, behave) => {
    peer.answer = behave;
    const asking = ask({ timeoutMs: 200, redirects: 5 });
    await expect(asking).rejects.toMatchObject({
      reason: 'timeout',
      message: 'no whole answer within 0.2 s',
    });
    expect(reported).toEqual(['robots.txt timeout']);
    await allClosed();
  });

  test('a name whose servers are silent', async () => {
    const deaf = createAskOutside({ allowedRanges: [], lookup: () => {} });
    const asking = deaf({ kind: 'ping', url: 'http://www.example.com/', timeoutMs: 100, maxBodyBytes: 0 });
    await expect(asking).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('TLS that never begins', async () => {
    peer.answer = () => {};
    const asking = ask({ url: url.replace('http:', 'https:'), timeoutMs: 200 });
    await expect(asking).rejects.toMatchObject({ reason: 'timeout' });
    await allClosed();
  });
});

describe('no answer at all', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['the end', (socket) => void socket.end()],
    ['a reset', (socket) => void socket.resetAndDestroy()],
    ['headers that are cut', (socket) => void socket.end('HTTP/1.1 200 OK\r\nX-A: b')],
    ['a body that is cut', (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx')],
    [
      'chunks that are cut',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'),
    ],
    ['another protocol', (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    ['huge headers', (socket) => endlessly(socket, `HTTP/1.1 200 OK\r\nX-A: ${'x'.repeat(100_000)}`)],
    [
      '101 that nobody asked for',
      (socket) =>
        void socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
        ),
    ],
    [
      'a length and chunks',
      (socket) =>
        void socket.end(
          'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        ),
    ],
    ['the status 600', (socket) => void socket.end('HTTP/1.1 600 No\r\nContent-Length: 0\r\n\r\n')],
  ])('%s', async (_, behave) => {
    peer.answer = behave;
    await expect(ask()).rejects.toMatchObject({ name: 'OutboundError', reason: 'unreachable' });
    expect(reported).toEqual(['robots.txt unreachable']);
    await allClosed();
  });

  test('a port where nobody listens', async () => {
    const asking = ask({ url: 'http://127.0.0.1:9/' });
    await expect(asking).rejects.toMatchObject({ reason: 'unreachable', message: 'ECONNREFUSED' });
  });

  test('TLS that is none', async () => {
    peer.answer = (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    await expect(ask({ url: url.replace('http:', 'https:') })).rejects.toMatchObject({
      reason: 'unreachable',
    });
    await allClosed();
  });

  test('a header that cannot be sent', async () => {
    await expect(ask({ headers: { 'X-A': 'a\r\nb' } })).rejects.toMatchObject({ reason: 'unreachable' });
  });
});

describe('given up by the asker', () => {
  test('before the request', async () => {
    await expect(ask({ signal: AbortSignal.abort() })).rejects.toMatchObject({ reason: 'aborted' });
    await allClosed();
  });

  test('in the middle of the answer', async () => {
    const giving = new AbortController();
    peer.answer = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx');
      giving.abort();
    };
    await expect(ask({ signal: giving.signal })).rejects.toMatchObject({ reason: 'aborted' });
    expect(reported).toEqual(['robots.txt aborted']);
    await allClosed();
  });
});

test('redirects are followed as often as asked for: relative ones, and to another path', async () => {
  const paths: string[] = [];
  peer.answer = (socket, head) => {
    const path = head.split(' ')[1]!;
    paths.push(path);
    const hops: Record<string, string> = { '/a/b': '../c', '/c': '?d', '/c?d': `${url}/e#f` };
    const to = hops[path];
    if (to === undefined) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend');
    else socket.end(`HTTP/1.1 307 Moved\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`);
  };
  expect(await ask({ url: `${url}/a/b`, redirects: 5 })).toMatchObject({ status: 200, url: `${url}/e#f` });
  expect(paths).toEqual(['/a/b', '/c', '/c?d', '/e']);
  expect(reported).toEqual(['robots.txt 2xx']);
});

test.for([
  ['ENOTFOUND', "the host doesn't exist"],
  ['EAI_AGAIN', "its name servers don't answer"],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', "its certificate isn't trusted"],
  ['ECONNREFUSED', 'there is no connection, or no whole answer in time'],
  ['an answer of 2 MB', 'an answer of 2 MB'],
] as const)('people read %s in words', ([message, words]) => {
  expect(shownFailure(new OutboundError('unreachable', message))).toBe(words);
});
