/** Spec D38: people sign in to the dashboard with one-time links, and act in their account. */
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { runProcess, serves, startProcess } from './support/processes.ts';
import { type Received, send } from './support/send.ts';
import { openBackend } from './support/separate-waypost.ts';
import { cli, createFolder, runCli, startWaypost } from './support/waypost.ts';

const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

const dataOf = ({ body }: Received) => JSON.parse(body.toString()).data;

/** Opens a link, as its page does. Returns the cookie. */
async function open(link: string): Promise<string> {
  const { origin, pathname, hash } = new URL(link);
  expect(pathname).toBe('/dashboard/sign-in');
  const page = await send(origin + pathname);
  expect({ status: page.status, type: page.headers['content-type'] }).toEqual({
    status: 200,
    type: 'text/html; charset=utf-8',
  });
  const body = JSON.stringify({ token: hash.slice(1) });
  const headers = { ...SAME_ORIGIN, ...JSON_TYPE };
  const { status, headers: answered } = await send(`${origin}/auth/link`, { method: 'POST', headers, body });
  expect(status).toBe(200);
  return answered['set-cookie']![0]!.split(';')[0]!;
}

describe('spec D38 all in one', async () => {
  const waypost = await startWaypost({ LOG_LEVEL: 'info' });
  afterAll(() => waypost[Symbol.asyncDispose]());
  await waypost.process.says('It works once');
  const printed = /http\S+\/dashboard\/sign-in#\S+/.exec(waypost.process.stdout())![0];
  const cookies: string[] = [];
  const ask = (path: string, Cookie: string, method = 'GET', headers = {}) =>
    send(waypost.apiUrl + path, { method, headers: { Cookie, ...SAME_ORIGIN, ...headers } });

  test('prints a link to its demo account', async () => {
    const cookie = await open(printed);
    cookies.push(cookie);
    expect(dataOf(await ask('/dashboard/api/session', cookie))).toMatchObject({
      account: { name: 'demo', role: 'owner' },
      plan: 'enterprise',
      apiOrigin: waypost.apiUrl,
    });
    expect((await ask('/dashboard/api/domains', cookie)).status).toBe(200);
  });

  test('gives another one on the command line, for any account', async () => {
    const cookie = await open(await cli(waypost.dataDir, 'sign-in'));
    expect(dataOf(await ask('/dashboard/api/session', cookie)).account.name).toBe('demo');
    const accountId = await cli(waypost.dataDir, 'account', 'create', 'another');
    const other = await open(await cli(waypost.dataDir, 'sign-in', '--account', accountId));
    expect(dataOf(await ask('/dashboard/api/session', other)).account).toMatchObject({ id: accountId });
    expect(await runCli(waypost.settings, 'sign-in', '--account', 'account_x')).toMatchObject({ code: 78 });
    cookies.push(cookie, other);
  });

  test('a session does nothing below /api, and a key nothing below /dashboard', async () => {
    expect((await ask('/api/domains', cookies[0]!)).status).toBe(401);
    expect((await ask('/dashboard/api/domains', '', 'GET', { 'X-API-Key': waypost.demoKey })).status).toBe(
      401,
    );
  });

  test('a deleted account ends its sessions at once', async () => {
    const accountId = dataOf(await ask('/dashboard/api/session', cookies[2]!)).account.id;
    await cli(waypost.dataDir, 'account', 'delete', accountId, '--yes');
    expect((await ask('/dashboard/api/session', cookies[2]!)).status).toBe(401);
  });

  test('no token of a link or of a session is in the log', () => {
    const log = waypost.process.stderr();
    expect(log).toContain('session started');
    expect(cookies).toHaveLength(3);
    for (const secret of [new URL(printed).hash.slice(1), ...cookies.map((cookie) => cookie.split('=')[1]!)])
      expect(log).not.toContain(secret);
  });
});

test('spec D38 all in one prints no link where people sign in with a provider', async () => {
  await using waypost = await startWaypost({ OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'waypost' });
  await waypost.process.says('Ctrl+C');
  expect(waypost.process.stdout()).toContain(`Dashboard: ${waypost.apiUrl}/dashboard\n`);
  expect(waypost.process.stdout()).not.toContain('#');
});

describe('spec D38 separate processes', async () => {
  const folder = await createFolder();
  const { settings, dns } = await openBackend(folder.path);
  const [first, second, bare] = [await freePort(), await freePort(), await freePort()];
  const urlOf = (port: number) => `http://127.0.0.1:${port}`;
  const dashboard = { DASHBOARD_ORIGIN: urlOf(first), DASHBOARD_SECRET: 'for tests'.padEnd(32, '.') };
  const run = (port: number, environment: Record<string, string>) =>
    startProcess('src/api-server.ts', { ...settings, ...environment, API_PORT: String(port) });
  const processes = [run(first, dashboard), run(second, dashboard), run(bare, {})];
  afterAll(async () => {
    await Promise.all(processes.map((process) => process.stop()));
    await dns[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });
  for (const [n, port] of [first, second, bare].entries()) await serves(processes[n]!, urlOf(port));

  test('share sessions: what begins at one ends at the other', async () => {
    expect(await runCli({ ...settings, ...dashboard }, 'sign-in')).toMatchObject({ code: 78 });
    await runCli(settings, 'account', 'create', 'only');
    const { stdout, stderr } = await runCli({ ...settings, ...dashboard }, 'sign-in');
    const Cookie = await open(stdout.trim());
    expect(stderr).not.toContain(new URL(stdout.trim()).hash.slice(1));
    const status = async (port: number) =>
      (await send(`${urlOf(port)}/dashboard/api/session`, { headers: { Cookie } })).status;
    expect([await status(first), await status(second)]).toEqual([200, 200]);
    const signOut = { method: 'POST', headers: { Cookie, ...SAME_ORIGIN } };
    expect((await send(`${urlOf(second)}/auth/sign-out`, signOut)).status).toBe(200);
    expect([await status(first), await status(second)]).toEqual([401, 401]);
  });

  test('have no dashboard without an origin, and no link', async () => {
    for (const path of ['/', '/dashboard', '/dashboard/api/session', '/auth/link'])
      expect((await send(urlOf(bare) + path)).status).toBe(404);
    const { code, stderr } = await runCli(settings, 'sign-in');
    expect(code).toBe(78);
    expect(stderr).toContain('DASHBOARD_ORIGIN');
  });

  test('do not start with an origin, but without a secret', async () => {
    const environment = { ...settings, DASHBOARD_ORIGIN: 'https://api.example.net', API_PORT: '0' };
    const { code, stderr } = await runProcess('src/api-server.ts', environment);
    expect(code).toBe(78);
    expect(stderr).toContain('DASHBOARD_SECRET');
  });
});
