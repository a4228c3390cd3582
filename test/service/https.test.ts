/** HTTPS hosting, with the clients that operators and crawlers have. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createTestAuthority } from '../support/test-certificates.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer, uniqueHostname } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { type Hosting, startHosting } from './support/hosting.ts';
import { type Environment, runProcess } from './support/processes.ts';
import { send } from './support/send.ts';
import { startLoad } from './support/steady-load.ts';
import { storeSettings } from './support/store.ts';
import { CERTIFICATE_KEYS, storeCertificate } from './support/stored-certificate.ts';
import { useWaypost } from './support/use-waypost.ts';
import { runCli } from './support/waypost.ts';

const PATH = '/sitemap.xml';
const run = promisify(execFile);

const authority = await createTestAuthority();
afterAll(() => authority[Symbol.dispose]());
const folder = await createTemporaryFolder();
/** Lends its stored files to the hosting processes of these tests. */
const lender = await useWaypost();
const customer = await createCustomer(lender);
const { hostname } = await secureDomain();
const { body: whole } = await fetchFile(lender, hostname, PATH);

/** Below a name for which the lender issues no certificates of its own. */
async function secureDomain() {
  const domain = await customer.createDomain(uniqueHostname('customer.org'));
  expect(await runCli(lender.settings, 'domain', 'verify', '--force', domain.hostname)).toMatchObject({
    code: 0,
  });
  await customer.publish({ domain: domain.hostname, urls: entries(3000) });
  await storeCertificate(lender.dataDir, domain.hostname, await authority.issue(domain.hostname));
  return domain;
}

async function startSecureHosting(environment: Environment = {}): Promise<Hosting & { securePort: number }> {
  const securePort = await freePort();
  const secure = { CERTIFICATE_KEYS, HOSTING_TLS_PORT: String(securePort), SITE_FRESH_MS: '100' };
  const hosting = await startHosting(lender, { ...secure, ...environment }, 'listening for HTTPS');
  return { ...hosting, securePort };
}

const loadOn = ({ securePort }: { securePort: number }) =>
  startLoad({
    url: `https://127.0.0.1:${securePort}${PATH}`,
    headers: { Host: hostname },
    secure: { ca: authority.ca, servername: hostname },
    connections: 32,
    judge: ({ status, body }) => expect([status, body.equals(whole)]).toEqual([200, true]),
  });

async function statusOf(securePort: number, host: string): Promise<number> {
  const agent = new Agent({ ca: authority.ca, servername: host });
  const url = `https://127.0.0.1:${securePort}${PATH}`;
  return (await send(url, { headers: { Host: host }, agent })).status;
}

test('curl gets a sitemap over HTTPS, in either version of TLS', needs('curl'), async () => {
  await using hosting = await startSecureHosting();
  const url = `https://${hostname}:${hosting.securePort}${PATH}`;
  const resolve = ['--resolve', `${hostname}:${hosting.securePort}:127.0.0.1`];
  for (const version of [['--tls-max', '1.2'], ['--tlsv1.3']]) {
    const options = ['--silent', '--fail', '--cacert', authority.caFile, ...resolve, ...version];
    const { stdout } = await run('curl', [...options, url], { encoding: 'buffer', maxBuffer: 2 ** 24 });
    expect(stdout.equals(whole)).toBe(true);
  }
});

test('after DELETE of the domain its HTTPS ends', async () => {
  await using hosting = await startSecureHosting();
  const domain = await secureDomain();
  expect(await statusOf(hosting.securePort, domain.hostname)).toBe(200);
  await customer.call(`DELETE /api/domains/${domain.id}`);
  await vi.waitFor(async () => {
    await expect(statusOf(hosting.securePort, domain.hostname)).rejects.toThrow(/unrecognized name/);
  }, SOON);
  expect(await statusOf(hosting.securePort, hostname)).toBe(200);
});

test('two processes are replaced in rolling restarts, and no request over HTTPS fails', async () => {
  await using hosting = await startSecureHosting({ HOSTING_PROCESSES: '2' });
  const load = loadOn(hosting);
  await load.passes(200);
  for (const restarts of [1, 2, 3]) {
    hosting.process.kill('SIGHUP');
    await vi.waitFor(() => expect(hosting.logged('rolling restart done')).toHaveLength(restarts), SOON);
    await load.passes(200);
  }
  await load.stop();
  expect({ ...load, answers: 0 }).toMatchObject({ lost: [], refused: [], wrong: [] });
  expect(await hosting.process.stop()).toEqual({ code: 0, signal: null });
});

test('a process that is told to end loses no request on an open connection', async () => {
  await using hosting = await startSecureHosting();
  const load = loadOn(hosting);
  await load.passes(200);
  hosting.process.kill('SIGTERM');
  expect(await hosting.process.exited).toEqual({ code: 0, signal: null });
  await load.stop();
  expect({ lost: load.lost, wrong: load.wrong }).toEqual({ lost: [], wrong: [] });
});

test('wrong settings are reported with exit code 78', async () => {
  const settings = { ...storeSettings(lender.dataDir), HOSTING_PORT: '0' };
  const keyless = await runProcess('src/hosting-server.ts', { ...settings, HOSTING_TLS_PORT: '0' });
  expect(keyless).toMatchObject({ code: 78, stderr: expect.stringContaining('CERTIFICATE_KEYS') });
  const untrusting = await runProcess('src/hosting-server.ts', {
    ...settings,
    HOSTING_PROXY_PROTOCOL: 'true',
  });
  expect(untrusting).toMatchObject({ code: 78, stderr: expect.stringContaining('TRUSTED_PROXY_RANGES') });
  const { port } = new URL(lender.hostingUrl);
  const busy = await runProcess('src/hosting-server.ts', {
    ...settings,
    CERTIFICATE_KEYS,
    HOSTING_TLS_PORT: port,
  });
  expect(busy).toMatchObject({ code: 78, stderr: expect.stringMatching(/^Port \d+ .*HOSTING_TLS_PORT/m) });
});

describe.each(['send-proxy', 'send-proxy-v2'])('behind haproxy with %s', needs('haproxy'), (option) => {
  test('both ports are served, and a client without a header is not', async () => {
    const trusted = { HOSTING_PROXY_PROTOCOL: 'true', TRUSTED_PROXY_RANGES: '127.0.0.0/8' };
    await using hosting = await startSecureHosting({ ...trusted, HOSTING_CONNECTIONS_PER_CLIENT: '40' });
    const [plain, secure] = [await freePort(), await freePort()];
    const forward = (name: string, from: number, to: number) =>
      `listen ${name}\n  bind 127.0.0.1:${from}\n  server hosting 127.0.0.1:${to} ${option}\n`;
    const file = join(folder, `${option}.cfg`);
    const times = 'defaults\n  mode tcp\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n';
    await writeFile(
      file,
      times + forward('plain', plain, hosting.port) + forward('secure', secure, hosting.securePort),
    );
    const haproxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    const exited = once(haproxy, 'exit');
    try {
      await vi.waitFor(() => send(`http://127.0.0.1:${plain}/healthz`), SOON);
      expect((await fetchFile({ hostingUrl: `http://127.0.0.1:${plain}` }, hostname, PATH)).status).toBe(200);
      const load = loadOn({ securePort: secure });
      await load.passes(500);
      await load.stop();
      expect({ ...load, answers: 0 }).toMatchObject({ lost: [], refused: [], wrong: [] });
      const bare = connect(hosting.port, '127.0.0.1').on('error', () => {});
      bare.write('GET /healthz HTTP/1.1\r\nHost: x.example\r\n\r\n');
      expect(Buffer.concat(await bare.toArray().catch(() => [])).toString()).toBe('');
    } finally {
      haproxy.kill();
      await exited;
    }
  });
});

test('testssl.sh finds nothing above LOW', { ...needs('testssl'), timeout: 600_000 }, async () => {
  await using hosting = await startSecureHosting();
  const file = join(folder, 'testssl.json');
  const options = ['--jsonfile', file, '--ip', '127.0.0.1', '--nodns', 'none', '--warnings', 'off'];
  const what = ['--protocols', '--server-defaults', '--server-preference', '--std', '--vulnerable'];
  const trust = ['--add-ca', authority.caFile];
  // Its exit code is the number of findings.
  const scan = [...options, ...trust, ...what, `${hostname}:${hosting.securePort}`];
  await run('testssl', scan, { maxBuffer: 2 ** 24 }).catch(() => {});
  const found: { id: string; severity: string; finding: string }[] = JSON.parse(await readFile(file, 'utf8'));
  const all = new Map(found.map(({ id, severity }) => [id, severity]));
  // The scan was whole: these come from its first and its last part.
  expect([all.get('TLS1_3'), all.get('RC4')]).toEqual(['OK', 'OK']);
  const bad = found.filter(({ severity }) => ['MEDIUM', 'HIGH', 'CRITICAL', 'FATAL'].includes(severity));
  expect(bad).toEqual([]);
});
