/** `npm start`: how all in one starts, and its messages when it cannot. */
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test as sequentialTest, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { SOON, soon } from '../support/soon.ts';
import { fetchFile, isGone } from './support/crawler.ts';
import { callApi, createCustomer, customerWith } from './support/customer.ts';
import { entries, uploadDocument } from './support/entries.ts';
import { send } from './support/send.ts';
import {
  cli,
  createDataFolder,
  createFolder,
  runCli,
  startAllInOne,
  startWaypost,
} from './support/waypost.ts';

/** Most of the time is spent waiting for processes. */
const test = sequentialTest.concurrent;

test('with its certificate a site is on HTTPS, as in production, and what was uploaded before it too', async () => {
  await using waypost = await startWaypost({ PUBLIC_ORIGIN: '' });
  const { httpsUrl } = JSON.parse(await readFile(join(waypost.dataDir, 'demo.json'), 'utf8'));
  const ca = await readFile(join(waypost.dataDir, 'ca.pem'), 'utf8');
  const customer = await createCustomer(waypost);
  const { id, hostname } = await customer.createDomain();
  const upload = uploadDocument({ domain: hostname, sizeLimit: 'gsc-optimized' }, 1500);
  const plain = `http://${hostname}:${new URL(waypost.hostingUrl).port}`;
  const secure = `https://${hostname}:${new URL(httpsUrl).port}`;
  expect((await customer.publish(upload)).indexUrl).toBe(`${plain}/sitemap-index.xml`);
  await customer.call(`POST /api/domains/${id}/verify`);

  const agent = new Agent({ ca, servername: hostname });
  const get = (path: string) => send(httpsUrl + path, { headers: { Host: hostname }, agent });
  await vi.waitFor(async () => {
    const { status, headers } = await fetchFile(waypost, hostname, '/sitemap.xml');
    expect([status, headers.location]).toEqual([301, `${secure}/sitemap.xml`]);
  }, SOON);
  for (const index of ['/sitemap.xml', '/sitemap-index.xml']) {
    const { status, body } = await get(index);
    const locs = Array.from(body.toString().matchAll(/<loc>(.*?)<\/loc>/g), ([, loc]) => loc);
    expect({ status, locs }).toEqual({
      status: 200,
      locs: [`${secure}/sitemap.1.xml`, `${secure}/sitemap.2.xml`],
    });
  }
  expect((await get('/sitemap.2.xml')).body.toString()).toContain('/page/1499</loc>');
  expect((await get('/robots.txt')).body.toString()).toContain(`Sitemap: ${secure}/sitemap-index.xml`);
  const again = await customer.publish({ domain: hostname, sitemapName: 'again', urls: entries(1) });
  expect(again.sitemapUrl).toBe(`${secure}/sitemap-again.xml`);
  const { stdout } = await runCli({ ...waypost.settings, PUBLIC_ORIGIN: '' }, 'site', 'rebuild', hostname);
  expect(stdout).toContain('written again');
  expect((await get('/sitemap.xml')).body.toString()).toContain(`<loc>${secure}/sitemap.1.xml</loc>`);
});

test('demo.json has the port as soon as /healthz answers 200, and a folder that was open is closed to other users', async () => {
  await using folder = await createFolder();
  const objects = join(folder.path, 'objects');
  await mkdir(objects, { mode: 0o755 });
  const apiUrl = `http://127.0.0.1:${await freePort()}`;
  await using started = startAllInOne(folder.path, { API_PORT: new URL(apiUrl).port });
  const isHealthy = () => send(`${apiUrl}/healthz`).then(({ status }) => status === 200);
  await vi.waitUntil(() => isHealthy().catch(() => false), { ...soon('a healthy API'), interval: 1 });
  const demo = JSON.parse(await readFile(join(folder.path, 'demo.json'), 'utf8'));
  expect(demo.apiUrl).toBe(apiUrl);
  await started.says('Waypost is running');
  expect((await stat(objects)).mode & 0o777).toBe(0o700);
});

test('the first start makes a demo account in a folder for its user alone, and prints a command to paste', async () => {
  await using folder = await createFolder();
  const dataDir = join(folder.path, 'new/data');
  await using waypost = await startWaypost({}, dataDir);
  // Root's Postgres runs as another user, who goes through the folder.
  expect((await stat(dataDir)).mode & 0o777).toBe(process.getuid!() === 0 ? 0o711 : 0o700);
  const path = join(dataDir, 'demo.json');
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    apiKey: expect.stringMatching(/^sk_live_[0-9A-Za-z]{32}$/),
    accountId: expect.stringMatching(/^account_/),
    apiUrl: waypost.apiUrl,
    hostingUrl: waypost.hostingUrl,
    httpsUrl: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
  });
  for (const file of ['demo.json', 'ca-key', 'certificate-keys', 'cname-secret']) {
    expect((await stat(join(waypost.dataDir, file))).mode & 0o777, file).toBe(0o600);
  }
  expect((await stat(join(waypost.dataDir, 'objects'))).mode & 0o777).toBe(0o700);
  const { status, headers } = await callApi(waypost, 'GET /api/domains', {
    headers: { 'X-API-Key': waypost.demoKey },
  });
  expect({ status, limit: headers['ratelimit-limit'] }).toEqual({ status: 200, limit: '1000' });
  for (const url of [waypost.apiUrl, waypost.hostingUrl]) {
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect((await send(`${url}/healthz`)).status).toBe(200);
  }
  const welcome = waypost.process.stdout();
  expect(welcome).toContain(waypost.apiUrl);
  expect(welcome).toContain('/api/sitemap/generate');
  // The key is a secret, and terminals are recorded.
  expect(welcome).not.toContain(waypost.demoKey);
  expect(waypost.process.stderr()).toBe('');
});

describe('a process that cannot start says why, and ends with 78:', () => {
  async function refusal(dataDir: string, environment: Record<string, string> = {}) {
    await using started = startAllInOne(dataDir, environment);
    const { code } = await started.exited;
    expect({ code, stderr: started.stderr() }).toMatchObject({ code: 78 });
    // The message is for people and has no stack.
    expect(started.stderr()).not.toMatch(/^\s+at /m);
    return started.stderr();
  }

  test('a busy port', async () => {
    await using folder = await createDataFolder();
    using cleanUp = new DisposableStack();
    const squatter = createServer().listen(0, '127.0.0.1');
    cleanUp.defer(() => void squatter.close());
    await once(squatter, 'listening');
    const port = String((squatter.address() as AddressInfo).port);
    for (const variable of ['API_PORT', 'HOSTING_PORT']) {
      const message = await refusal(folder.path, { [variable]: port });
      expect(message).toContain(variable);
      expect(message).toContain(port);
    }
    // Nothing is left running: the same folder starts at once.
    await using waypost = await startWaypost({}, folder.path);
    expect((await send(`${waypost.apiUrl}/healthz`)).status).toBe(200);
  });

  test('a DATA_DIR that is in use', async () => {
    await using waypost = await startWaypost();
    expect(await refusal(waypost.dataDir)).toMatch(/DATA_DIR is in use/);
    // The running process continues, and the command line still finds it.
    expect((await send(`${waypost.apiUrl}/healthz`)).status).toBe(200);
    expect(await cli(waypost.dataDir, 'account', 'list')).toContain('demo');
  });

  test('a DATA_DIR that is a file', async () => {
    await using folder = await createFolder();
    const file = join(folder.path, 'file');
    await writeFile(file, 'x');
    expect(await refusal(file)).toContain('DATA_DIR');
    expect(await readFile(file, 'utf8')).toBe('x');
  });

  test('a DATA_DIR below a file', async () => {
    await using folder = await createFolder();
    await writeFile(join(folder.path, 'file'), 'x');
    expect(await refusal(join(folder.path, 'file', 'data'))).toContain('DATA_DIR');
  });

  test('a DATA_DIR in which something else stands in the place of Postgres', async () => {
    await using folder = await createFolder();
    await writeFile(join(folder.path, 'postgres'), 'x');
    expect(await refusal(folder.path)).toContain('DATA_DIR');
  });

  test('a DATA_DIR that is read-only', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may write everywhere');
    await using folder = await createFolder();
    const path = join(folder.path, 'closed');
    await mkdir(path);
    await chmod(path, 0o555);
    expect(await refusal(path)).toContain('DATA_DIR');
  });

  test('a wrong configuration, with all its errors', async () => {
    await using folder = await createFolder();
    const wrong = {
      API_PORT: '70000',
      HOSTING_PORT: 'http',
      LOG_LEVEL: 'loud',
      MAX_UPLOAD_BYTES: '1',
      PUBLIC_ORIGIN: 'https://example.com',
      PING_URL: 'nowhere',
    };
    const message = await refusal(folder.path, wrong);
    for (const name of Object.keys(wrong)) expect(message).toContain(name);
    expect(await readdir(folder.path)).toEqual([]);
  });

  test('wrong PLANS', async () => {
    await using folder = await createFolder();
    expect(await refusal(folder.path, { PLANS: '{"free":{"domains":0}}' })).toContain('PLANS');
  });
});

test('1 a deleted domain stops being served within the time that hosting trusts its copy', async () => {
  await using waypost = await startWaypost({ SITE_FRESH_MS: '2000' });
  const customer = customerWith(waypost, '', waypost.demoKey);
  const { hostname, id } = await customer.verifiedDomain();
  await customer.publish({ domain: hostname, urls: entries(1) });
  expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(200);
  await customer.call(`DELETE /api/domains/${id}`);
  await isGone(waypost, hostname, '/sitemap.xml');
});
