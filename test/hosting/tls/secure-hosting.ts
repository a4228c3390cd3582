/** HTTPS hosting for tests: a key ring, certificates of a test authority, and a client that shows what TLS did. */
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import {
  certificateKey,
  type HostCertificate,
  sealCertificate,
} from '../../../src/features/sites/certificate.ts';
import { KeyRing, newKeyRingText } from '../../../src/platform/key-ring.ts';
import type { ObjectStorage } from '../../../src/platform/storage/object-storage.ts';
import type { TestAuthority, TestCertificate } from '../../../tools/test-certificates.ts';
import { once } from '../../support/soon.ts';
import { parseAnswer, type RawAnswer } from '../exchange.ts';
import { publishSite } from '../hosted-site.ts';
import { type RunningHosting, startHosting, type TestedOptions } from '../start-hosting.ts';

export const KEYS = new KeyRing(newKeyRingText());

export function startSecureHosting(options: TestedOptions = {}): Promise<RunningHosting> {
  return startHosting({ certificateKeys: KEYS, ...options });
}

/** A site whose robots.txt names its hostname, with a certificate. */
export async function publishSecureSite(
  { storage }: Pick<RunningHosting, 'storage'>,
  hostname: string,
  certificate: TestCertificate,
): Promise<void> {
  await publishSite(storage, { hostname, https: true });
  await putCertificate(storage, sealed(hostname, certificate));
}

export function sealed(hostname: string, certificate: TestCertificate, keys = KEYS): HostCertificate {
  return sealCertificate(keys, { hostname, notAfter: '2030-01-01T00:00:00Z', ...certificate });
}

/** `at`: the hostname in the key of the object. */
export async function putCertificate(
  storage: ObjectStorage,
  certificate: HostCertificate,
  at = certificate.hostname,
): Promise<void> {
  await storage.put(certificateKey(at), [Buffer.from(JSON.stringify(certificate))]);
}

export interface SecureAnswer extends RawAnswer {
  readonly isResumed: boolean;
  /** A ticket, for the next connection. */
  readonly session: Buffer;
  readonly serial: string;
}

export interface SecureRequest extends ConnectionOptions {
  /** Default: the name that the handshake sends. */
  readonly host?: string;
  readonly path?: string;
}

/** Sends one request on a connection of its own. Throws if the handshake fails. */
export async function askSecurely(
  { securePort }: Pick<RunningHosting, 'securePort'>,
  { host, path = '/robots.txt', ...options }: SecureRequest,
): Promise<SecureAnswer> {
  const socket = await shakeHands({ securePort }, options);
  // TLS 1.2 has its ticket by now. The ticket of TLS 1.3 follows the handshake.
  const tickets: Buffer[] = [socket.getSession() ?? Buffer.alloc(0)];
  socket.on('session', (session: Buffer) => tickets.push(session));
  const { serialNumber } = socket.getPeerCertificate();
  const isResumed = socket.isSessionReused();
  const name = host ?? options.servername;
  socket.write([`GET ${path} HTTP/1.1`, `Host: ${name}`, 'Connection: close', '', ''].join('\r\n'));
  const received = Buffer.concat(await socket.toArray());
  const session = tickets.at(-1)!;
  return { ...parseAnswer(received), isResumed, session, serial: serialNumber };
}

/** Throws if the handshake fails. */
export async function shakeHands(
  { securePort }: Pick<RunningHosting, 'securePort'>,
  options: ConnectionOptions,
): Promise<TLSSocket> {
  const socket = connect({ port: securePort, host: '127.0.0.1', ...options });
  await once(socket, 'secureConnect');
  return socket;
}

/** The hostname of the site that answered. */
export function siteOf({ body }: RawAnswer): string | undefined {
  return /^Sitemap: https:\/\/([^/]+)/m.exec(body.toString())?.[1];
}

/** `count` names with a certificate each, all the same: making keys takes time. */
export async function manyNames(
  authority: TestAuthority,
  count: number,
): Promise<Map<string, TestCertificate>> {
  const names = Array.from({ length: count }, (_, n) => `host${n}.example.com`);
  const certificate = await authority.issue('*.example.com');
  return new Map(names.map((name) => [name, certificate]));
}
