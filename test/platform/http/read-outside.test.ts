/** Objects of hosts that answer badly, slowly, too much or not at all. Every read ends, and so does its connection. */
import type { LookupFunction, Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { OutboundError, type OutboundOptions } from '../../../src/platform/http/outbound.ts';
import { createReadOutside, type ReadRequest } from '../../../src/platform/http/read-outside.ts';
import { endlessly, startRawPeer } from '../../support/raw-peer.ts';

const peer = await startRawPeer();
afterAll(() => peer[Symbol.asyncDispose]());
const { url, port, allClosed } = peer;

const LIMITS = { headMs: 60_000, idleMs: 60_000, bytesPerSecond: 1, maxBytes: 1e9 };

function reader(changed: Partial<OutboundOptions> = {}) {
  const read = createReadOutside({ allowedRanges: ['127.0.0.1'], ...changed });
  return (more: Partial<ReadRequest> = {}) =>
    read({ kind: 'load', url, limits: LIMITS, redirects: 3, signal: new AbortController().signal, ...more });
}
const read = reader();

async function readAll(more: Partial<ReadRequest> = {}): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of (await read(more)).body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function refusal(reading: Promise<unknown>): Promise<OutboundError> {
  const error = await reading.then(
    () => expect.fail('it was read'),
    (failure) => failure,
  );
  expect(error).toBeInstanceOf(OutboundError);
  return error;
}

const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

test('a body comes with what was asked', async () => {
  let request = '';
  peer.answer = (socket, head) => {
    request = head;
    socket.end(ok('hello'));
  };
  expect(await readAll({ headers: { Range: 'bytes=5-', 'If-Match': '"a"' } })).toBe('hello');
  expect(request).toContain('Range: bytes=5-\r\n');
  expect(request).toContain('If-Match: "a"\r\n');
  expect(request).toContain('Accept-Encoding: identity\r\n');
  await allClosed();
});

test('a reader that is slow slows the host down, and may stop at any time', async () => {
  let sent = 0;
  peer.answer = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const send = () => {
      while (!socket.destroyed && socket.write(chunk)) sent += 65_536;
    };
    socket.on('drain', send);
    send();
  };
  const { body } = await read();
  for await (const piece of body) {
    expect(piece.length).toBeGreaterThan(0);
    break;
  }
  await allClosed();
  // Only buffers filled up.
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

describe('what a host may not do', () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  test.each<[string, string, (socket: Socket) => void, Partial<typeof LIMITS>?]>([
    [
      'informational answers without end',
      'costly',
      (socket) => endlessly(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(9)),
    ],
    [
      'a head without end',
      'unreachable',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        endlessly(socket, 'X-A: b\r\n'.repeat(1000));
      },
    ],
    [
      'chunks of a byte without end',
      'costly',
      (socket) => {
        socket.write(chunked);
        endlessly(socket, '1\r\nx\r\n'.repeat(1000));
      },
    ],
    [
      'long extensions of chunks',
      'costly',
      (socket) => {
        socket.write(chunked);
        endlessly(socket, `1;${'a'.repeat(8000)}\r\nx\r\n`.repeat(10));
      },
    ],
    [
      'a body without end',
      'costly',
      (socket) => {
        socket.write(chunked);
        endlessly(socket, `400\r\n${'x'.repeat(1024)}\r\n`.repeat(64));
      },
      { maxBytes: 2_000_000 },
    ],
    ['no answer', 'timeout', () => {}, { headMs: 50 }],
    [
      'a pause in its body',
      'timeout',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi'),
      { idleMs: 50 },
    ],
    [
      'a byte at a time',
      'timeout',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
        const timer = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => clearInterval(timer));
      },
      { idleMs: 200, bytesPerSecond: 10_000 },
    ],
    [
      'an end too early',
      'unreachable',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi'),
    ],
    ['chunks that end too early', 'unreachable', (socket) => void socket.end(`${chunked}2\r\nhi\r\n`)],
    [
      'a body whose end nobody can tell',
      'unreachable',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\nhi'),
    ],
    [
      'another protocol',
      'unreachable',
      (socket) =>
        void socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    ],
    ['no HTTP', 'unreachable', (socket) => void socket.end('SSH-2.0-x\r\n')],
  ])('%s', async (_, reason, behave, limits = {}) => {
    peer.answer = behave;
    expect(await refusal(readAll({ limits: { ...LIMITS, ...limits } }))).toMatchObject({ reason });
    await allClosed();
  });
});

test('an abort ends a read at any time', async () => {
  peer.answer = (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi');
  const stop = new AbortController();
  const { body } = await read({ signal: stop.signal });
  const reading = (async () => {
    for await (const _ of body) stop.abort();
  })();
  expect(await refusal(reading)).toMatchObject({ reason: 'aborted' });
  await allClosed();
  expect(await refusal(read({ signal: AbortSignal.abort() }))).toMatchObject({ reason: 'aborted' });
});

test('an answer that nobody reads can be ended', async () => {
  peer.answer = (socket) => void socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\n');
  const unread = await read();
  expect(unread.status).toBe(404);
  unread.end();
  await allClosed();
});

describe('redirects', () => {
  const to = (location: string) => `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;

  test('are followed, with the address that answered', async () => {
    peer.answer = (socket, head) => void socket.end(head.startsWith('GET /a ') ? to('/b') : ok('b'));
    expect(await read({ url: `${url}/a` })).toMatchObject({ status: 200, url: `${url}/b` });
  });

  test.each([
    ['in a circle', '/a', 'redirects'],
    ['to a private address', 'http://10.0.0.1/', 'blocked'],
    ['to the metadata service', 'https://169.254.169.254/latest/', 'blocked'],
    ['to a user', `http://a:b@127.0.0.1:${port}/`, 'blocked'],
    ['to a file', 'file:///etc/passwd', 'blocked'],
    ['to nowhere', 'http://[', 'redirects'],
  ])('%s are refused', async (_, location, reason) => {
    peer.answer = (socket) => void socket.end(to(location));
    expect(await refusal(read({ url: `${url}/a` }))).toMatchObject({ reason });
    await allClosed();
  });
});

describe('addresses', () => {
  const resolveTo = (address: string): LookupFunction =>
    ((_name, _options, callback) =>
      callback(null, [{ address, family: address.includes(':') ? 6 : 4 }])) as LookupFunction;

  test.each([
    'https://10.0.0.1/',
    'https://127.0.0.2/',
    'https://2130706434/',
    'https://0x7f.0.0.2/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[fd00::1]/',
    'https://[64:ff9b::a00:1]/',
    'https://0/',
    'https://168.63.129.16/',
    'ftp://www.example.com/',
    'https://a@www.example.com/',
    // Public, but not secure.
    'http://192.0.2.1/',
    'http://8.8.8.8/',
  ])('%s is refused', async (address) => {
    expect(await refusal(read({ url: address }))).toMatchObject({ reason: 'blocked' });
  });

  test.each(['http:', 'https:'])('a name with a private address is refused by %s', async (scheme) => {
    const inside = reader({ lookup: resolveTo('10.0.0.1') });
    expect(await refusal(inside({ url: `${scheme}//www.example.com/` }))).toMatchObject({
      reason: 'blocked',
    });
  });

  test('a public name is asked by https: only', async () => {
    const outside = reader({ lookup: resolveTo('8.8.8.8') });
    const asked = refusal(outside({ url: 'http://www.example.com/' }));
    expect(await asked).toMatchObject({
      reason: 'blocked',
      message: 'www.example.com is asked by https: only',
    });
    const strict = reader({ allowedRanges: [], lookup: resolveTo('127.0.0.1') });
    expect(await refusal(strict({ url: 'http://www.example.com/' }))).toMatchObject({ reason: 'blocked' });
  });

  test('a name that the operator allows is asked', async () => {
    peer.answer = (socket) => void socket.end(ok('ours'));
    const ours = reader({ lookup: resolveTo('127.0.0.1') });
    expect(await ours({ url: `http://bucket.internal:${port}/` })).toMatchObject({ status: 200 });
  });
});
