import { connect, createServer } from 'node:net';
import { connect as connectSecurely, type SecureVersion } from 'node:tls';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nameInClientHello } from '../../../src/edges/hosting/tls/client-hello.ts';

/** Returns the first message of OpenSSL, as Node sends it. */
async function helloOf(
  servername: string | undefined,
  version: SecureVersion,
  ecdhCurve?: string,
): Promise<Buffer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const received = new Promise<Buffer>((resolve) => {
    server.on('connection', (socket) => {
      socket
        .on('error', () => {})
        .on('data', (bytes) => {
          resolve(bytes);
          socket.destroy();
        });
    });
  });
  const client = connectSecurely({
    ...{ socket: connect(port, '127.0.0.1'), maxVersion: version, minVersion: version },
    ...(servername !== undefined && { servername }),
    ...(ecdhCurve !== undefined && { ecdhCurve }),
  });
  client.on('error', () => {});
  const bytes = await received;
  server.close();
  return bytes;
}

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('%s', (version) => {
  test.each(['maps.example.com', 'a.b', `${'x'.repeat(60)}.`.repeat(4).slice(0, -1)])(
    '%s is found',
    async (name) => {
      expect(nameInClientHello(await helloOf(name, version))).toBe(name);
    },
  );

  test('a message without a name has none', async () => {
    expect(nameInClientHello(await helloOf(undefined, version))).toBeUndefined();
  });

  test('a message that ends anywhere has the name, or none', async () => {
    const hello = await helloOf('maps.example.com', version);
    const found = Array.from(hello, (_, n) => nameInClientHello(hello.subarray(0, n)));
    expect(new Set(found)).toEqual(new Set([undefined, 'maps.example.com']));
  });

  test('changed bytes never throw', async () => {
    const hello = await helloOf('maps.example.com', version);
    const change = fc.tuple(fc.nat(hello.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        const changed = Buffer.from(hello);
        for (const [at, byte] of changes) changed[at] = byte;
        const name = nameInClientHello(changed);
        expect(name === undefined || changed.includes(name, 0, 'latin1')).toBe(true);
      }),
    );
  });
});

test('a key of two kilobytes may come before the name', async () => {
  expect(nameInClientHello(await helloOf('maps.example.com', 'TLSv1.3', 'X25519MLKEM768'))).toBe(
    'maps.example.com',
  );
});

test('anything else has no name', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => nameInClientHello(Buffer.from(bytes)) === undefined));
});
