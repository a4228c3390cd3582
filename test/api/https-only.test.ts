/** How an API with HTTPS of its own knows that a client came by it: by its own TLS, or by the word of trusted proxies. */
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { expect, test } from 'vitest';
import { createWebServer, type WebServerOptions } from '../../src/core/web/create-web-server.ts';
import { createSecureApi, httpsOnly } from '../../src/edges/api/create-secure-api.ts';
import { createTestAuthority } from '../../tools/test-certificates.ts';

const ORIGIN = 'https://api.example.net';
using authority = await createTestAuthority();
const { chain, privateKey } = await authority.issue('localhost');
const pem = createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' }).export({
  format: 'pem',
  type: 'pkcs8',
});

async function listening(server: Server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Sends a request to an API with this number of trusted proxies. Returns its status and its headers. */
async function ask(
  isTls: boolean,
  trustedProxies: number,
  headers: Readonly<Record<string, string>>,
  {
    method,
    path,
    accessRefused,
  }: { method: string; path: string; accessRefused: (about: object) => void } = {
    ...{ method: 'GET', path: '/reference?a=1', accessRefused() {} },
  },
) {
  const reports = { answered() {}, refused() {} };
  const options = {
    trustedProxies,
    reports,
    complain: { accessRefused },
  } as unknown as WebServerOptions;
  const server = createWebServer(options, [httpsOnly(ORIGIN), (_request, response) => void response.end()]);
  const secure = createSecureApi();
  secure.use({ chain, key: String(pem) });
  secure.server.on('secureConnection', (socket) => server.emit('connection', socket));
  const ports = { plain: await listening(server), secure: await listening(secure.server) };
  const address = { host: '127.0.0.1', method, path, headers, agent: false } as const;
  const asking = isTls
    ? secureRequest({ ...address, port: ports.secure, ca: authority.ca, servername: 'localhost' })
    : plainRequest({ ...address, port: ports.plain });
  const [answer]: IncomingMessage[] = await once(asking.end(), 'response');
  answer!.resume();
  await once(answer!, 'end');
  server.close();
  secure.server.close();
  const { location, 'strict-transport-security': hsts } = answer!.headers;
  return { status: answer!.statusCode, location, hsts };
}

test('a hook that is called over plain HTTP is refused, and the log does not show its token', async () => {
  const logged: object[] = [];
  const accessRefused = (about: object) => void logged.push(about);
  const call = { method: 'POST', path: '/api/hooks/a-secret', accessRefused };
  expect(await ask(false, 0, {}, call)).toMatchObject({ status: 403 });
  expect(logged).toMatchObject([{ path: '/api/hooks/…' }]);
});

const SERVED = { status: 200, location: undefined, hsts: 'max-age=31536000' };
const REDIRECTED = { status: 308, location: `${ORIGIN}/reference?a=1`, hsts: undefined };

test.each([
  ['plain HTTP', 0, undefined, REDIRECTED],
  // Without trusted proxies, any client could say so.
  ['plain HTTP', 0, 'https', REDIRECTED],
  ['plain HTTP', 1, undefined, REDIRECTED],
  ['plain HTTP', 1, 'http', REDIRECTED],
  ['plain HTTP', 1, 'https', SERVED],
  // The first proxy is the one that the client reached.
  ['plain HTTP', 2, 'http, https', REDIRECTED],
  ['plain HTTP', 2, 'https, http', SERVED],
  ['our own TLS', 0, undefined, SERVED],
  ['our own TLS', 0, 'http', SERVED],
  ['our own TLS', 1, undefined, SERVED],
  // Between the client and a proxy that makes TLS of it, the network has seen all.
  ['our own TLS', 1, 'http', REDIRECTED],
  ['our own TLS', 1, 'https', SERVED],
])('by %s with %i trusted proxies, X-Forwarded-Proto %j', async (way, trusted, proto, expected) => {
  const headers: Record<string, string> = proto === undefined ? {} : { 'X-Forwarded-Proto': proto };
  const isTls = way === 'our own TLS';
  expect(await ask(isTls, trusted, headers)).toEqual(expected);
  const withKey = await ask(isTls, trusted, { ...headers, 'X-API-Key': 'sk_live_x' });
  expect(withKey.status).toBe(expected === SERVED ? 200 : 403);
});
