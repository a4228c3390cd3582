/** HTTPS of the API itself, with a certificate for its own hostname. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { open } from '../../tools/http-exchange.ts';
import { SOON } from '../support/soon.ts';
import { entries } from './support/entries.ts';
import { runProcess } from './support/processes.ts';
import { createDataFolder, startWaypost } from './support/waypost.ts';

const HOSTNAME = 'api.localhost';

describe('an API with API_TLS_PORT', async () => {
  const port = await freePort();
  const waypost = await startWaypost({ API_HOSTNAME: HOSTNAME, API_TLS_PORT: String(port) });
  afterAll(() => waypost[Symbol.asyncDispose]());
  const origin = `https://${HOSTNAME}:${port}`;
  const key = { 'X-API-Key': waypost.demoKey };
  const agent = new Agent({ ca: await readFile(join(waypost.dataDir, 'ca.pem')), keepAlive: false });

  interface Answer {
    readonly status: number | undefined;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: {
      readonly error?: { readonly code: string; readonly message: string };
      readonly data?: unknown;
    };
  }
  const secure = (path: string, method = 'GET', body?: object) =>
    new Promise<Answer>((resolve, reject) => {
      const address = { host: '127.0.0.1', port, servername: HOSTNAME, path, method, agent };
      const headers = { ...key, Host: `${HOSTNAME}:${port}`, 'Content-Type': 'application/json' };
      const asking = request({ ...address, headers }, async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        resolve({ status: response.statusCode, headers: response.headers, body: JSON.parse(text) });
      });
      asking.on('error', reject).end(body && JSON.stringify(body));
    });
  const plain = async (path: string, headers = {}, method = 'GET') => {
    const answer = await open(`${waypost.apiUrl}${path}`, { method, headers });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: Buffer.concat(await answer.toArray()).toString(),
    };
  };
  await vi.waitFor(() => secure('/api/domains'), SOON);

  test('answers over HTTPS with a certificate for its hostname, and browsers stay there', async () => {
    const { status, headers } = await secure('/api/domains');
    expect({ status, hsts: headers['strict-transport-security'] }).toEqual({
      status: 200,
      hsts: 'max-age=31536000',
    });
  });

  test('publishes an upload', async () => {
    const { body } = await secure('/api/domains', 'POST', { hostname: 'over-tls.localhost' });
    const { id } = body.data as { id: string };
    expect(await secure(`/api/domains/${id}/verify`, 'POST')).toMatchObject({ status: 200 });
    const upload = { domain: 'over-tls.localhost', urls: entries(2500) };
    expect(await secure('/api/sitemap/generate', 'POST', upload)).toMatchObject({
      status: 200,
      body: { data: { urlCount: 2500 } },
    });
  });

  test('keeps its hostname from customers', async () => {
    for (const hostname of [HOSTNAME, `sitemaps.${HOSTNAME}`]) {
      expect(await secure('/api/domains', 'POST', { hostname })).toMatchObject({ status: 422 });
    }
  });

  test.each([
    ['X-API-Key', { 'X-API-Key': 'a key' }],
    ['Authorization', { Authorization: 'Bearer a key' }],
  ])('refuses a key in %s over plain HTTP, and says that the network has seen it', async (_, headers) => {
    const { status, text } = await plain('/api/domains', headers);
    expect(status).toBe(403);
    expect(JSON.parse(text).error).toEqual({
      code: 'FORBIDDEN',
      message: `This API is reached over HTTPS only, at ${origin}. The network has seen this key: replace it.`,
    });
  });

  test('refuses changes over plain HTTP, and redirects pages with their query', async () => {
    expect(await plain('/api/domains', {}, 'POST')).toMatchObject({ status: 403 });
    const { status, headers } = await plain('/dashboard/domains?search=a');
    expect({ status, location: headers.location, hsts: headers['strict-transport-security'] }).toEqual({
      status: 308,
      location: `${origin}/dashboard/domains?search=a`,
      hsts: undefined,
    });
  });

  test('redirects to nowhere else, whatever the request target is', async () => {
    for (const path of ['//elsewhere.example/', '/\\elsewhere.example']) {
      const { headers } = await plain(path);
      if (headers.location !== undefined) expect(new URL(headers.location).origin).toBe(origin);
    }
  });

  test('is asked for its health over plain HTTP', async () => {
    expect(await plain('/healthz')).toMatchObject({ status: 200 });
  });

  test('answers the challenge of an authority over plain HTTP, for its own hostname alone', async () => {
    const folder = join(waypost.dataDir, 'objects', 'challenges');
    await mkdir(folder, { recursive: true });
    const challenge = { hostname: HOSTNAME, token: 'a-token', keyAuthorization: 'a-token.thumbprint' };
    await writeFile(join(folder, `${HOSTNAME}.json`), JSON.stringify(challenge));
    await vi.waitFor(async () => {
      const answer = await plain('/.well-known/acme-challenge/a-token');
      expect(answer).toMatchObject({ status: 200, text: 'a-token.thumbprint' });
    }, SOON);
    expect(await plain('/.well-known/acme-challenge/another')).toMatchObject({ status: 308 });
  });
});

test('a port without a hostname is a wrong setting', async () => {
  await using folder = await createDataFolder();
  const settings = {
    DATA_DIR: folder.path,
    API_PORT: '0',
    HOSTING_PORT: '0',
    HOSTING_TLS_PORT: '0',
    API_TLS_PORT: '0',
  };
  const { code, stderr } = await runProcess('src/all-in-one.ts', settings);
  expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining('API_HOSTNAME') });
});
