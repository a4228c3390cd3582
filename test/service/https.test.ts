/** HTTPS hosting, as operators run it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { runProcess } from './support/processes.ts';
import { PATH, useSecureSite } from './support/secure-hosting.ts';
import { storeSettings } from './support/store.ts';
import { CERTIFICATE_KEYS } from './support/stored-certificate.ts';

const run = promisify(execFile);
const { authority, customer, hostname, lender, loadOn, secureDomain, startSecureHosting, statusOf, whole } =
  await useSecureSite();

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
