/** A client may begin so many handshakes a second, and chooses no key exchange that is expensive. */
import { connect, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createTestAuthority } from '../../../tools/test-certificates.ts';
import { once } from '../../support/soon.ts';
import { HOSTNAME, type RunningHosting } from '../start-hosting.ts';
import { askSecurely, publishSecureSite, shakeHands, startSecureHosting } from './secure-hosting.ts';

const authority = await createTestAuthority();
afterAll(() => authority[Symbol.dispose]());
const certificate = await authority.issue(HOSTNAME);
const CLIENT = { servername: HOSTNAME, ca: authority.ca };

/** As many handshakes as may begin at once and wait: 100 and 400. */
const MANY = 500;

async function begin({ securePort }: RunningHosting, localAddress: string): Promise<Socket> {
  const socket = connect({ port: securePort, host: '127.0.0.1', localAddress }).on('error', () => {});
  await once(socket, 'connect');
  return socket.resume();
}

test('a client that begins too many handshakes at once loses some, and another client none', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, HOSTNAME, certificate);
  const greedy: Socket[] = [];
  do {
    const more = Array.from({ length: MANY }, () => begin(hosting, '127.0.0.2'));
    greedy.push(...(await Promise.all(more)));
  } while (hosting.counts.handshakes.unavailable === 0);
  for (let n = 0; n < 20; n++) expect((await askSecurely(hosting, CLIENT)).status).toBe(200);
  for (const socket of greedy) socket.destroy();
});

test('connections that wait for their turn are served then, or leave without harm', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, HOSTNAME, certificate);
  const first = await Promise.all(Array.from({ length: 200 }, () => begin(hosting, '127.0.0.1')));
  const asked = askSecurely(hosting, CLIENT);
  for (const socket of first) socket.resetAndDestroy();
  expect((await asked).status).toBe(200);
  expect((await askSecurely(hosting, CLIENT)).status).toBe(200);
});

test('key exchanges that cost the server much are not offered', async () => {
  await using hosting = await startSecureHosting();
  await publishSecureSite(hosting, HOSTNAME, certificate);
  for (const ecdhCurve of ['X25519MLKEM768', 'X25519', 'P-256', 'P-521:P-256']) {
    expect((await askSecurely(hosting, { ...CLIENT, ecdhCurve })).status, ecdhCurve).toBe(200);
  }
  for (const ecdhCurve of ['P-384', 'P-521', 'X448', 'ffdhe2048', 'ffdhe3072']) {
    await expect(shakeHands(hosting, { ...CLIENT, ecdhCurve }), ecdhCurve).rejects.toThrow(
      /handshake failure/i,
    );
  }
});
