/** Over HTTPS the peer must prove its name, though we choose the address that we connect to. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createAskOutside } from '../../../src/platform/http/outbound.ts';
import { testServerKeys, trustTestServers } from '../../support/test-authority.ts';

const asked: string[] = [];
const server = createServer(testServerKeys, (request, response) => {
  asked.push(`${request.headers.host} ${request.url}`);
  response.end('hello');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

const lookup = ((_name, _options, callback) =>
  callback(null, [{ address: '127.0.0.1', family: 4 }])) as LookupFunction;
const askOutside = createAskOutside({ allowedRanges: ['127.0.0.0/8'], lookup });
const ask = (hostname: string) =>
  askOutside({ kind: 'webhook', url: `https://${hostname}:${port}/a`, timeoutMs: 60_000, maxBodyBytes: 10 });

test('a certificate of an authority that nobody trusts is refused', async () => {
  await expect(ask('localhost')).rejects.toMatchObject({
    reason: 'unreachable',
    message: expect.stringMatching(/^(UNABLE_TO_|SELF_SIGNED)/),
  });
  expect(asked).toEqual([]);
});

test('a trusted one is accepted for its name, and for no other', async () => {
  trustTestServers();
  expect(await ask('localhost')).toMatchObject({ status: 200, body: Buffer.from('hello') });
  await expect(ask('www.example.com')).rejects.toMatchObject({
    reason: 'unreachable',
    message: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
  expect(asked).toEqual([`localhost:${port} /a`]);
});
