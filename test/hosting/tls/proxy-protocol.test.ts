/** Connections through a balancer that forwards TCP: the header names the client, before TLS and before plain HTTP. */
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createTestAuthority } from '../../../tools/test-certificates.ts';
import { once, SOON } from '../../support/soon.ts';
import { rawExchange } from '../exchange.ts';
import { publishSite } from '../hosted-site.ts';
import { HOSTNAME, type RunningHosting, startHosting, type TestedOptions } from '../start-hosting.ts';
import { publishSecureSite, startSecureHosting } from './secure-hosting.ts';

const authority = await createTestAuthority();
afterAll(() => authority[Symbol.dispose]());
const certificate = await authority.issue(HOSTNAME);

const REQUEST = `GET /robots.txt HTTP/1.1\r\nHost: ${HOSTNAME}\r\nConnection: close\r\n\r\n`;
const LINE = 'PROXY TCP4 192.0.2.1 198.51.100.7 56324 443\r\n';
const BINARY = Buffer.from('0d0a0d0a000d0a515549540a2111000cc0000201c6336407dc0401bb', 'hex');
const behindProxy: TestedOptions = { isProxy: (address) => address === '127.0.0.1' };

/** The address that each request came from. */
function watchClients({ server }: RunningHosting): (string | undefined)[] {
  const clients: (string | undefined)[] = [];
  server.on('request', ({ socket }) => clients.push(socket.remoteAddress));
  return clients;
}

const statusOf = (received: Buffer) => received.toString('latin1').split(' ')[1];

describe.each([
  ['version 1', Buffer.from(LINE)],
  ['version 2', BINARY],
])('%s', (_, header) => {
  test('before plain HTTP, whole or in single bytes', async () => {
    await using hosting = await startHosting(behindProxy);
    await publishSite(hosting.storage);
    const clients = watchClients(hosting);
    expect(statusOf(await rawExchange(hosting.port, Buffer.concat([header, Buffer.from(REQUEST)])))).toBe(
      '200',
    );
    const socket = connect({ port: hosting.port, host: '127.0.0.1', noDelay: true });
    for (const byte of Buffer.concat([header, Buffer.from(REQUEST)])) {
      socket.write(Uint8Array.of(byte));
      await new Promise(setImmediate);
    }
    expect(statusOf(Buffer.concat(await socket.toArray()))).toBe('200');
    expect(clients).toEqual(['192.0.2.1', '192.0.2.1']);
  });

  test('before TLS, with the first bytes of the handshake or before them', async () => {
    await using hosting = await startSecureHosting(behindProxy);
    await publishSecureSite(hosting, HOSTNAME, certificate);
    const clients = watchClients(hosting);
    for (const isCorked of [true, false]) {
      const socket = connect({ port: hosting.securePort, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      if (isCorked) socket.cork();
      socket.write(header);
      const secured = connectSecurely({ socket, servername: HOSTNAME, ca: authority.ca });
      process.nextTick(() => socket.uncork());
      secured.write(REQUEST);
      expect(statusOf(Buffer.concat(await secured.toArray()))).toBe('200');
    }
    expect(clients).toEqual(['192.0.2.1', '192.0.2.1']);
  });
});

test('a malformed header ends the connection without an answer, and so does none within 3 s', async () => {
  await using hosting = await startSecureHosting(behindProxy);
  for (const port of [hosting.port, hosting.securePort]) {
    for (const bytes of [REQUEST, LINE.replace('TCP4', 'TCP5'), 'PROXY TCP4 192.0.2.1']) {
      expect((await rawExchange(port, bytes)).toString()).toBe('');
    }
  }
  expect(hosting.counts.handshakes.broken).toBe(0);
});

test('from other addresses a header is a forgery: never read', async () => {
  await using hosting = await startHosting({ isProxy: () => false });
  await publishSite(hosting.storage);
  const clients = watchClients(hosting);
  expect(statusOf(await rawExchange(hosting.port, LINE + REQUEST))).toBe('400');
  expect(statusOf(await rawExchange(hosting.port, REQUEST))).toBe('200');
  expect(clients).toEqual(['127.0.0.1']);
});

test('the connections of one client are limited, over both ports and all balancers', async () => {
  const refused: object[] = [];
  const connections = {
    max: 100,
    perClient: 3,
    isTrusted: (address: string | undefined) => address === '127.0.0.1',
    onRefused: (one: object) => refused.push(one),
  };
  await using hosting = await startSecureHosting({ ...behindProxy, connections });
  const open = async (port: number, address: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(LINE.replace('192.0.2.1', address));
    await once(socket, 'connect');
    return socket;
  };
  const other = await open(hosting.port, '192.0.2.2');
  const own: Socket[] = [];
  for (let n = 0; n < 4; n++) {
    for (const port of [hosting.port, hosting.securePort]) own.push(await open(port, '192.0.2.1'));
  }
  // All idle, so the longest idle ones made room.
  const ended = () => own.filter((socket) => socket.resume().destroyed).length;
  await vi.waitFor(() => expect(ended()).toBe(5), SOON);
  expect(other.destroyed).toBe(false);
  expect(refused).toEqual([]);
  for (const socket of [other, ...own]) socket.destroy();
});
