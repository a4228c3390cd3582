/** Through a proxy, as a company has one: nothing reaches the server otherwise, because only the proxy knows its name. */
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createTestAuthority } from '../../tools/test-certificates.ts';
import { needs } from '../support/needs.ts';
import { PUBLISHED } from './support/published.ts';
import { runClient } from './support/run-client.ts';

const HOSTNAME = 'api.waypost.test';
const authority = await createTestAuthority();
afterAll(() => authority[Symbol.dispose]());
const { chain, privateKey } = await authority.issue(HOSTNAME);
const key = createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' }).export({
  format: 'pem',
  type: 'pkcs8',
});
const bodies: string[] = [];
const server = createServer({ cert: chain, key }, async (incoming, response) => {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part);
  bodies.push(Buffer.concat(parts).toString());
  response.end(JSON.stringify({ success: true, data: incoming.method === 'GET' ? [] : PUBLISHED }));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

const tunnels = new Set<Socket>();
/** The requests to the proxy, in order. */
const asked: string[] = [];
const proxy = createProxy((incoming, response) => {
  asked.push(`${incoming.method} ${incoming.url}`);
  response.writeHead(502).end();
})
  .on('connect', (incoming, socket) => {
    const { 'proxy-authorization': user = '' } = incoming.headers;
    asked.push(`CONNECT ${incoming.url} ${user}`.trim());
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    tunnels.add(onward).add(socket as Socket);
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  })
  .listen(0, '127.0.0.1');
await once(proxy, 'listening');
afterAll(() => {
  for (const one of [server, proxy]) {
    one.close();
    one.closeAllConnections();
  }
  for (const end of tunnels) end.destroy();
});
beforeEach(() => {
  asked.length = 0;
  bodies.length = 0;
});

const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
const url = `https://${HOSTNAME}`;
const trusting = { NODE_EXTRA_CA_CERTS: authority.caFile };
const upload = ['upload', '-', '--form', 'text', '--domain', 'maps.example.com'];
const stdin = 'https://www.example.com/\n'.repeat(50_000);

test.each(['HTTPS_PROXY', 'https_proxy'])(
  '%s leads an upload and small requests to the server',
  async (name) => {
    const environment = { ...trusting, [name]: address };
    expect(await runClient(upload, { url, stdin, environment })).toMatchObject({ code: 0 });
    expect(bodies).toEqual([stdin]);
    expect(await runClient(['domains', 'list'], { url, environment })).toMatchObject({ code: 0 });
    expect(new Set(asked)).toEqual(new Set([`CONNECT ${HOSTNAME}:443`]));
  },
);

test('the package for Python asks through the same proxies', needs('python3'), async () => {
  const python = (program: string, environment: object) =>
    runClient(['-c', `from waypost import Waypost\n${program}`], {
      program: ['python3'],
      url,
      environment: {
        PYTHONPATH: 'python',
        PYTHONDONTWRITEBYTECODE: '1',
        SSL_CERT_FILE: authority.caFile,
        ...environment,
      },
    });
  const withUser = address.replace('//', '//ann:p%40ss@');
  const upload =
    'print(Waypost().upload(["https://www.example.com/"] * 50_000, "maps.example.com")["generation"])';
  expect(await python(upload, { https_proxy: withUser })).toEqual({ code: 0, stdout: '7\n', stderr: '' });
  expect(asked).toEqual([`CONNECT ${HOSTNAME}:443 Basic ${btoa('ann:p@ss')}`]);
  expect(bodies).toHaveLength(1);

  const look = (options: string) => `Waypost(retries=0${options}).get_session("session_1")`;
  const plain = look(`, url="http://${HOSTNAME}", insecure=True`);
  expect((await python(plain, { HTTP_PROXY: address })).stderr).toContain('502');
  expect(asked.at(-1)).toBe(`GET http://${HOSTNAME}/api/upload-sessions/session_1`);
  asked.length = 0;
  expect((await python(look(''), { HTTPS_PROXY: address, NO_PROXY: HOSTNAME })).stderr).toContain('Lost');
  expect((await python(look(', url="http://127.0.0.1:9"'), { HTTP_PROXY: address })).stderr).toContain(
    'Lost',
  );
  expect(asked).toEqual([]);
});

test('NO_PROXY leaves a host out, and a server on this machine is never asked through a proxy', async () => {
  const environment = { ...trusting, HTTPS_PROXY: address, HTTP_PROXY: address, NO_PROXY: HOSTNAME };
  const once = ['--retries', '0'];
  expect((await runClient(['domains', 'list', ...once], { url, environment })).code).toBe(3);
  const here = { url: 'http://127.0.0.1:9', environment: { HTTP_PROXY: address } };
  expect((await runClient(['domains', 'list', ...once], here)).code).toBe(3);
  expect(asked).toEqual([]);
});

test('a proxy that is down is named', async () => {
  const environment = { HTTPS_PROXY: 'http://127.0.0.1:9' };
  const { code, stderr } = await runClient(['domains', 'list', '--retries', '0'], { url, environment });
  expect(code).toBe(3);
  expect(stderr).toContain('HTTPS_PROXY is set');
});
