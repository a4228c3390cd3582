/** The limits of connections over TLS: they are those of plain HTTP, and begin with the first byte of a handshake. */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test, vi } from 'vitest';
import type { ConnectionLimits } from '../../../src/platform/http/connection-limits.ts';
import { closeServer } from '../../../src/platform/http/http-server.ts';
import { createTestAuthority } from '../../../tools/test-certificates.ts';
import { once, SOON } from '../../support/soon.ts';
import { parseAnswer } from '../exchange.ts';
import { publishSite } from '../hosted-site.ts';
import { HOSTNAME, type RunningHosting } from '../start-hosting.ts';
import {
  askSecurely,
  publishSecureSite,
  putCertificate,
  sealed,
  shakeHands,
  startSecureHosting,
} from './secure-hosting.ts';

const authority = await createTestAuthority();
afterAll(() => authority[Symbol.dispose]());
const certificate = await authority.issue(HOSTNAME);
const CLIENT = { servername: HOSTNAME, ca: authority.ca };
const HEAD = `GET /robots.txt HTTP/1.1\r\nHost: ${HOSTNAME}\r\n`;

/** The start of a handshake: the header of a record of 512 bytes, and no more. */
const HANDSHAKE = Buffer.from('16030102000100', 'hex');

async function beginHandshake({ securePort }: RunningHosting): Promise<Socket> {
  const socket = connect(securePort, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  socket.write(HANDSHAKE);
  return socket.resume();
}

const limitsOf = (limits: Partial<ConnectionLimits>): ConnectionLimits => ({
  max: 1_000,
  perClient: 1_000,
  isTrusted: () => false,
  onRefused: () => {},
  ...limits,
});

/** A reset is a way to close too. */
function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.once('close', () => resolve()));
}

async function allOf(socket: TLSSocket): Promise<Buffer> {
  return Buffer.concat(await socket.toArray());
}

test('a client that does not read takes no more of a cached file than buffers do', async () => {
  // More than the kernel takes.
  const xml = `<urlset>${randomBytes(10_000_000).toString('hex')}</urlset>`;
  await using hosting = await startSecureHosting({ maxCachedFileBytes: xml.length });
  await publishSite(hosting.storage, {
    ...{ hostname: HOSTNAME, https: true },
    sitemaps: [{ uploadId: 'u', files: [xml] }],
  });
  await putCertificate(hosting.storage, sealed(HOSTNAME, certificate));
  const head = `GET /sitemap.xml HTTP/1.1\r\nHost: ${HOSTNAME}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n`;
  const ask = async () => (await shakeHands(hosting, CLIENT)).pause();
  const asked = once(hosting.server, 'request');
  const client = await ask();
  client.write(head);
  const [{ socket: serverSide }] = await asked;
  await vi.waitFor(() => expect(serverSide.bytesWritten).toBeGreaterThan(1000), SOON);
  // Other answers come, also of the same file.
  const reader = await ask();
  reader.write(head);
  const { body } = parseAnswer(await allOf(reader));
  expect(gunzipSync(body).toString() === xml).toBe(true);
  expect(serverSide.bytesWritten).toBeLessThan(body.length);
  // It gets all of the file once it reads.
  expect(parseAnswer(await allOf(client)).body.equals(body)).toBe(true);
});

test('a handshake that does not end is cut, and so are headers that do not end', async () => {
  await using hosting = await startSecureHosting({ headersTimeoutMs: 2_000 });
  await publishSecureSite(hosting, HOSTNAME, certificate);
  const unended = await beginHandshake(hosting);
  await closeOf(unended);
  expect(hosting.counts.handshakes.timeout).toBe(1);

  const silent = await shakeHands(hosting, CLIENT);
  expect(parseAnswer(await allOf(silent)).status).toBe(408);
  const slow = await shakeHands(hosting, CLIENT);
  slow.write(HEAD);
  const drip = setInterval(() => slow.writable && slow.write('X: y\r\n'), 20);
  expect(parseAnswer(await allOf(slow)).status).toBe(408);
  clearInterval(drip);
});

test('an idle connection is closed', async () => {
  await using hosting = await startSecureHosting({ keepAliveTimeoutMs: 50 });
  await publishSecureSite(hosting, HOSTNAME, certificate);
  const idle = await shakeHands(hosting, CLIENT);
  idle.write(`${HEAD}\r\n`);
  expect(parseAnswer(await allOf(idle)).headers.connection).toBe('keep-alive');
});

test('begun handshakes count as connections of their client: the oldest make room for new ones', async () => {
  await using hosting = await startSecureHosting({ connections: limitsOf({ perClient: 10 }) });
  await publishSecureSite(hosting, HOSTNAME, certificate);
  const begun = await Promise.all(Array.from({ length: 50 }, () => beginHandshake(hosting)));
  await vi.waitFor(() => expect(begun.filter(({ destroyed }) => !destroyed).length).toBe(10), SOON);
  // An honest client of the same address has its turn.
  for (let n = 0; n < 20; n++) expect((await askSecurely(hosting, CLIENT)).status).toBe(200);
  for (const socket of begun) socket.destroy();
});

test('a connection that answers does not make room, over either port', async () => {
  const refused: unknown[] = [];
  const connections = limitsOf({ perClient: 2, onRefused: (one) => refused.push(one) });
  await using hosting = await startSecureHosting({ connections });
  await publishSecureSite(hosting, HOSTNAME, certificate);
  await askSecurely(hosting, CLIENT);
  const gate = Promise.withResolvers<void>();
  const sockets = [await shakeHands(hosting, CLIENT), await shakeHands(hosting, CLIENT)];
  hosting.faults.gate = gate.promise;
  hosting.clock.now += 1_000;
  for (const socket of sockets) {
    const asked = once(hosting.server, 'request');
    socket.write(`${HEAD}Connection: close\r\n\r\n`);
    await asked;
  }
  const answers = sockets.map(allOf);
  const third = connect(hosting.port, '127.0.0.1').on('error', () => {});
  await closeOf(third);
  const fourth = connect(hosting.securePort, '127.0.0.1').on('error', () => {});
  await closeOf(fourth);
  expect(refused).toHaveLength(2);
  gate.resolve();
  expect((await Promise.all(answers)).map((answer) => parseAnswer(answer).status)).toEqual([200, 200]);
});

test('at the end, a request under way is answered, handshakes are cut and nothing stays open', async () => {
  await using hosting = await startSecureHosting({ siteFreshMs: 0 });
  await publishSecureSite(hosting, HOSTNAME, certificate);
  const socket = await shakeHands(hosting, CLIENT);
  const begun = await beginHandshake(hosting);
  const gate = Promise.withResolvers<void>();
  hosting.faults.gate = gate.promise;
  const asked = once(hosting.server, 'request');
  socket.write(`${HEAD}\r\n`);
  await asked;
  const closed = closeServer(hosting.server, { graceMs: 60_000, idleMs: 0 });
  await closeOf(begun);
  gate.resolve();
  const { status, headers } = parseAnswer(await allOf(socket));
  expect([status, headers.connection]).toEqual([200, 'close']);
  await closed;
  // The system may cut a connection that comes while the port closes.
  await expect(shakeHands(hosting, CLIENT)).rejects.toThrow(/ECONN(REFUSED|RESET)/);
});

test('a connection whose handshake ends during the end still gets one answer', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, HOSTNAME, certificate);
  const accepted = once(hosting.server, 'connection');
  const socket = await shakeHands(hosting, CLIENT);
  await accepted;
  const closed = closeServer(hosting.server, { graceMs: 60_000, idleMs: 60_000 });
  socket.write(`${HEAD}\r\n${HEAD}\r\n`);
  const received = (await allOf(socket)).toString();
  expect(received.match(/Connection: .*/g)?.at(-1)).toBe('Connection: close');
  await closed;
});

test('after the grace everything is cut, a handshake under way included', async () => {
  await using hosting = await startSecureHosting();
  const begun = await beginHandshake(hosting);
  const ended = closeOf(begun);
  await closeServer(hosting.server, { graceMs: 50, idleMs: 60_000 });
  await ended;
});
