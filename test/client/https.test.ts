/** HTTPS: the key goes only to a server with a certificate that this machine trusts. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { TEST_AUTHORITY, testServerKeys } from '../support/test-authority.ts';
import { PUBLISHED } from './support/published.ts';
import { runClient } from './support/run-client.ts';

const folder = await createTemporaryFolder();
const authority = join(folder, 'ca.pem');
await writeFile(authority, TEST_AUTHORITY.certificate);
const bodies: string[] = [];
const server = createServer(testServerKeys, async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  bodies.push(Buffer.concat(parts).toString());
  response.end(JSON.stringify({ success: true, data: PUBLISHED }));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});
const url = `https://localhost:${(server.address() as AddressInfo).port}`;
const args = ['upload', '-', '--form', 'text', '--domain', 'maps.example.com'];
const stdin = 'https://www.example.com/\n'.repeat(50_000);

test('a trusted server gets the upload', async () => {
  const run = await runClient(args, { url, stdin, environment: { NODE_EXTRA_CA_CERTS: authority } });
  expect(run).toMatchObject({ code: 0 });
  expect(bodies).toEqual([stdin]);
});

test('another server gets nothing, and is not asked again', async () => {
  bodies.length = 0;
  const { code, stderr } = await runClient([...args, '--quiet'], { url, stdin });
  expect(stderr).toMatch(/^waypost: Cannot reach the server: .*certificate/);
  expect(code).toBe(3);
  expect(bodies).toEqual([]);
});

test('a server without HTTPS is named in a line', async () => {
  const plain = createPlainServer().listen(0, '127.0.0.1');
  onTestFinished(() => void plain.close());
  await once(plain, 'listening');
  const { port } = plain.address() as AddressInfo;
  const { code, stderr } = await runClient(['domains', 'list'], { url: `https://127.0.0.1:${port}` });
  expect(stderr).toBe('waypost: Cannot reach the server: HTTPS fails there (wrong version number)\n');
  expect(code).toBe(3);
});
