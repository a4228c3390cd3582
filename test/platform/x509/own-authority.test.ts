import { execFile } from 'node:child_process';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { newPrivateKey, readPrivateKey } from '../../../src/platform/x509/certificate-key.ts';
import {
  createAuthority,
  issueCertificate,
  type OwnAuthority,
} from '../../../src/platform/x509/own-authority.ts';
import { needs } from '../../support/needs.ts';
import { once } from '../../support/soon.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);
const HOUR_MS = 3_600_000;
const LIFETIME = { notBefore: new Date(Date.now() - HOUR_MS), notAfter: new Date(Date.now() + HOUR_MS) };

const folder = await createTemporaryFolder();
const authority = await createAuthority('Waypost "test", 1', ['localhost', 'test'], LIFETIME);
const caFile = join(folder, 'ca.pem');
await writeFile(caFile, authority.certificate);
const key = readPrivateKey(newPrivateKey());

const issue = (hostname: string, by: OwnAuthority = authority) =>
  issueCertificate(by, { hostname, publicKey: createPublicKey(key), ...LIFETIME });

/** An HTTPS server with the certificate. It answers `hi`. */
async function serve(cert: string) {
  const server = createServer({ cert, key: key.export({ format: 'pem', type: 'pkcs8' }) }, (_, response) => {
    response.setHeader('Connection', 'close').end('hi');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(server, { boundPort: (server.address() as AddressInfo).port });
}

test('the certificate of the authority says what it may do', () => {
  const certificate = new X509Certificate(authority.certificate);
  expect(certificate.ca).toBe(true);
  expect(certificate.subject).toBe('CN=Waypost \\"test\\"\\, 1');
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.validToDate.getTime()).toBe(Math.floor(LIFETIME.notAfter.getTime() / 1000) * 1000);
});

test('each certificate has a serial number of its own', async () => {
  const serials = await Promise.all(
    Array.from({ length: 20 }, async () => new X509Certificate(await issue('a.test')).serialNumber),
  );
  expect(new Set(serials).size).toBe(20);
  for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
});

describe('openssl', needs('openssl'), () => {
  async function verify(certificate: string) {
    const file = join(folder, 'leaf.pem');
    await writeFile(file, certificate);
    return run('openssl', ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', caFile, file]);
  }

  test.each(['demo.localhost', 'localhost', 'a.b.test'])('accepts %s', async (hostname) => {
    const { stdout } = await verify(await issue(hostname));
    expect(stdout).toContain('OK');
  });

  test.each(['example.com', 'nottest', '127.0.0.1'])('refuses %s: not permitted', async (hostname) => {
    await expect(verify(await issue(hostname))).rejects.toThrow('permitted subtree violation');
  });

  test('refuses a certificate of another authority with the same name', async () => {
    const other = await createAuthority('Waypost "test", 1', ['localhost'], LIFETIME);
    await expect(verify(await issue('demo.localhost', other))).rejects.toThrow('verification failed');
  });
});

describe('Node', () => {
  async function handshake(servername: string) {
    await using server = await serve(await issue(servername));
    const socket = connect({
      port: server.boundPort,
      host: '127.0.0.1',
      servername,
      ca: authority.certificate,
    });
    try {
      await once(socket, 'secureConnect');
      return socket.authorized;
    } finally {
      socket.destroy();
    }
  }

  test('accepts a permitted name', async () => {
    await expect(handshake('demo.localhost')).resolves.toBe(true);
  });

  test('refuses a name that is not permitted', async () => {
    await expect(handshake('example.com')).rejects.toThrow('permitted subtree violation');
  });
});

describe('curl', needs('curl'), () => {
  test('accepts a permitted name, and refuses without the certificate of the authority', async () => {
    await using server = await serve(await issue('demo.localhost'));
    const url = `https://demo.localhost:${server.boundPort}/`;
    const resolve = ['--resolve', `demo.localhost:${server.boundPort}:127.0.0.1`];
    const { stdout } = await run('curl', ['-sS', '--cacert', caFile, ...resolve, url]);
    expect(stdout).toBe('hi');
    await expect(run('curl', ['-sS', ...resolve, url])).rejects.toThrow('SSL certificate problem');
  });
});
