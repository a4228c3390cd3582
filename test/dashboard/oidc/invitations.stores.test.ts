import { afterAll, beforeEach, expect, test } from 'vitest';
import {
  createInvitation,
  invitationIdOf,
  invitationLink,
} from '../../../src/features/accounts/invitation-store.ts';
import type { Role } from '../../../src/features/accounts/role.ts';
import { addAccount } from '../../support/accounts.ts';
import { Browser } from '../../support/browser.ts';
import { sendLate } from '../../support/send-late.ts';
import { startProvider } from '../../support/start-provider.ts';
import { runDashboard } from '../running-dashboard.ts';

const provider = await startProvider();
afterAll(() => provider[Symbol.asyncDispose]());
const { database, log, origin } = await runDashboard({
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: provider.clientId,
  OIDC_CLIENT_SECRET: provider.clientSecret,
});
provider.serve(origin, 'default');

const START = '/auth/start?provider=default';
/** Returns the address that the page of the invitation leads to. */
const startInvited = (token: string) => `${START}&invited=${invitationIdOf(token)}`;
const OWN = { from: 'same-origin' };
const ACCEPT = '/dashboard/api/invitation/accept';
let people = 0;

beforeEach(async () => {
  await database.query('DELETE FROM rate_limits');
});

const sessionOf = async (browser: Browser) => (await browser.ask('GET', '/dashboard/api/session')).json.data;

async function invite(role: Role = 'member', accountId?: string) {
  const id = accountId ?? (await addAccount(database));
  const { token } = await createInvitation(database, id, { role, note: null });
  return { accountId: id, token };
}

function newPerson(): Browser {
  const sub = `person-${++people}`;
  provider.person = { sub, name: sub };
  return new Browser(origin);
}

async function signedIn(): Promise<Browser> {
  const browser = newPerson();
  await browser.open(START);
  return browser;
}

test('the token stands behind #, and only its hash is stored', async () => {
  const { accountId, token } = await invite();
  expect(invitationLink(origin, token)).toBe(`${origin}/dashboard/invitation#${token}`);
  const { rows } = await database.query('SELECT * FROM sign_in_links WHERE account_id = $1', [accountId]);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(token);
});

test('whoever signs in with it is a member, and has no account of their own', async () => {
  const { accountId, token } = await invite('owner');
  const browser = newPerson();
  const looked = await browser.ask('POST', '/auth/invitation', { token });
  expect(looked.json.data).toEqual({
    id: invitationIdOf(token),
    accountName: 'Test',
    role: 'owner',
    expiresAt: expect.any(String),
  });
  const days = (Date.parse(looked.json.data.expiresAt) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(7);
  expect(await browser.open(startInvited(token), OWN)).toBe('/dashboard');
  expect(await sessionOf(browser)).toMatchObject({
    account: { id: accountId, role: 'owner' },
    accounts: [{ id: accountId }],
  });
  expect([...browser.cookies().keys()]).toEqual([`waypost-${new URL(origin).port}`]);
  const { rows } = await database.query(
    'SELECT action, subject, details, actor_name, address FROM audit_events WHERE account_id = $1 ORDER BY id',
    [accountId],
  );
  const name = provider.person.name;
  expect(rows[0]).toEqual({
    ...{ action: 'member.joined', subject: name, actor_name: name, address: '127.0.0.1' },
    details: { role: 'owner' },
  });
  expect((await browser.ask('POST', '/auth/invitation', { token })).status).toBe(404);
  expect(JSON.stringify(log.lines)).not.toContain(token);
});

test('nobody joins by a sign-in that another page began, nor by one that has nothing to do with it', async () => {
  const { accountId, token } = await invite();
  const starts = [
    [startInvited(token), 'cross-site'],
    [startInvited(token), 'same-site'],
    [startInvited(token), 'none'],
    [START, 'same-origin'],
  ] as const;
  for (const [start, from] of starts) {
    const browser = newPerson();
    await browser.ask('POST', '/auth/invitation', { token });
    expect(await browser.open(start, { from })).toBe('/dashboard');
    const { account, accounts } = await sessionOf(browser);
    expect(account.id).not.toBe(accountId);
    expect(accounts).toHaveLength(1);
  }
  expect((await (await signedIn()).ask('POST', ACCEPT, { token })).status).toBe(200);
});

test('nobody joins by an invitation that another tab has opened since, nor gets an account instead', async () => {
  const [good, evil] = [await invite(), await invite()];
  const isLost = '/dashboard/sign-in?problem=other-invitation';
  const accounts = async () => (await database.query('SELECT FROM accounts')).rowCount;
  const before = await accounts();

  const browser = newPerson();
  await browser.ask('POST', '/auth/invitation', { token: good.token });
  await browser.ask('POST', '/auth/invitation', { token: evil.token });
  expect(await browser.open(startInvited(good.token), OWN)).toBe(isLost);

  await browser.ask('POST', '/auth/invitation', { token: good.token });
  const callback = await browser.openUntilCallback(startInvited(good.token), OWN);
  await browser.ask('POST', '/auth/invitation', { token: evil.token });
  expect(await browser.open(callback.href)).toBe(isLost);

  const without = newPerson();
  expect(await without.open(startInvited(good.token), OWN)).toBe(isLost);
  expect(await without.open(`${START}&invited=1`, OWN)).toBe(isLost);
  expect(await accounts()).toBe(before);

  // The page of each invitation lets the browser keep it again.
  await browser.ask('POST', '/auth/invitation', { token: good.token });
  expect(await browser.open(startInvited(good.token), OWN)).toBe('/dashboard');
  expect((await sessionOf(browser)).account.id).toBe(good.accountId);
});

test('somebody with accounts joins another one, and the session is for that', async () => {
  const { accountId, token } = await invite();
  const browser = await signedIn();
  const joined = await browser.ask('POST', ACCEPT, { token });
  expect(joined).toMatchObject({
    status: 200,
    json: { data: { id: accountId, name: 'Test', role: 'member' } },
  });
  const session = await sessionOf(browser);
  expect(session.account.id).toBe(accountId);
  expect(session.accounts).toHaveLength(2);
  expect((await browser.ask('POST', ACCEPT, { token })).status).toBe(404);
});

test('a member who is invited as owner becomes one, an owner who is invited as member stays one', async () => {
  const { accountId, token } = await invite('member');
  const browser = await signedIn();
  await browser.ask('POST', ACCEPT, { token });
  await browser.ask('POST', ACCEPT, { token: (await invite('owner', accountId)).token });
  expect((await sessionOf(browser)).account).toMatchObject({ id: accountId, role: 'owner' });
  const lower = await invite('member', accountId);
  expect((await browser.ask('POST', ACCEPT, { token: lower.token })).status).toBe(200);
  expect((await sessionOf(browser)).account.role).toBe('owner');
  // The invitation is still there for the person who was invited.
  const other = await signedIn();
  expect((await other.ask('POST', ACCEPT, { token: lower.token })).status).toBe(200);
});

test('whose session ends while the request comes does not join', async () => {
  const { accountId, token } = await invite();
  const browser = await signedIn();
  const cookie = [...browser.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
  const status = await sendLate(`${origin}${ACCEPT}`, { method: 'POST', headers, body: { token } }, () =>
    database.query('DELETE FROM sessions'),
  );
  expect(status).toBe(401);
  const { rowCount } = await database.query('SELECT FROM members WHERE account_id = $1', [accountId]);
  expect(rowCount).toBe(0);
  expect((await (await signedIn()).ask('POST', ACCEPT, { token })).status).toBe(200);
});

test('of many who accept at once, one joins', async () => {
  const { accountId, token } = await invite();
  const browsers = [];
  for (let n = 0; n < 8; n++) browsers.push(await signedIn());
  const statuses = await Promise.all(
    browsers.map((browser) => browser.ask('POST', ACCEPT, { token }).then(({ status }) => status)),
  );
  expect(statuses.sort()).toEqual([200, ...Array(7).fill(404)]);
  const { rowCount } = await database.query('SELECT FROM members WHERE account_id = $1', [accountId]);
  expect(rowCount).toBe(1);
});

test('of many who sign in with it at once, one joins, and nothing is made for the others', async () => {
  const { accountId, token } = await invite();
  const browsers = [];
  for (let n = 0; n < 5; n++) {
    const browser = newPerson();
    await browser.ask('POST', '/auth/invitation', { token });
    browsers.push({ browser, callback: await browser.openUntilCallback(startInvited(token), OWN) });
  }
  const { rows: before } = await database.query('SELECT count(*)::integer AS n FROM users');
  const ends = await Promise.all(browsers.map(({ browser, callback }) => browser.open(callback.href)));
  expect(ends.sort()).toEqual(['/dashboard', ...Array(4).fill('/dashboard/sign-in?problem=invitation')]);
  const { rows: after } = await database.query('SELECT count(*)::integer AS n FROM users');
  expect(after[0].n - before[0].n).toBe(1);
  const { rowCount } = await database.query('SELECT FROM members WHERE account_id = $1', [accountId]);
  expect(rowCount).toBe(1);
  // The next try signs in without it.
  const refused = browsers.find(({ browser }) => !browser.cookies().has(`waypost-${new URL(origin).port}`))!;
  expect(await refused.browser.open(START)).toBe('/dashboard');
});

test('an account has a limit, and the invitation outlives it', async () => {
  const { accountId, token } = await invite();
  await database.query(
    `WITH added AS (INSERT INTO users (id, name) SELECT $1 || n, 'a' FROM generate_series(1, 100) AS n RETURNING id)
     INSERT INTO members (account_id, user_id, role) SELECT $1, id, 'member' FROM added`,
    [accountId],
  );
  const browser = await signedIn();
  expect((await browser.ask('POST', ACCEPT, { token })).status).toBe(409);
  await browser.ask('POST', '/auth/invitation', { token });
  expect(await browser.open(startInvited(token), OWN)).toBe('/dashboard/sign-in?problem=invitation');
  await database.query("DELETE FROM users WHERE id = $1 || '7'", [accountId]);
  expect((await browser.ask('POST', ACCEPT, { token })).status).toBe(200);
});

test('an old, a revoked and an invented one are of no use', async () => {
  const old = await invite();
  await database.query(
    "UPDATE sign_in_links SET expires_at = now() - interval '1 second' WHERE account_id = $1",
    [old.accountId],
  );
  const revoked = await invite();
  await database.query('DELETE FROM sign_in_links WHERE account_id = $1', [revoked.accountId]);
  const browser = await signedIn();
  for (const token of [old.token, revoked.token, 'a'.repeat(43)]) {
    expect((await browser.ask('POST', '/auth/invitation', { token })).status).toBe(404);
    expect((await browser.ask('POST', ACCEPT, { token })).status).toBe(404);
  }
});

test('a sign-in link is no invitation', async () => {
  const { accountId, token } = await invite();
  await database.query("UPDATE sign_in_links SET kind = 'sign_in' WHERE account_id = $1", [accountId]);
  const browser = await signedIn();
  expect((await browser.ask('POST', ACCEPT, { token })).status).toBe(404);
});

test.each([{}, { token: 1 }, { token: 'a' }, { token: `${'a'.repeat(42)}\0` }])(
  '%j is refused, and not repeated',
  async (body) => {
    const browser = await signedIn();
    for (const path of ['/auth/invitation', ACCEPT])
      expect(await browser.ask('POST', path, body)).toEqual({
        status: 422,
        json: expect.objectContaining({
          error: expect.objectContaining({ details: { field: 'token' } }),
        }),
      });
  },
);

test('only our own pages ask, and not too often', async () => {
  const { token } = await invite();
  const body = JSON.stringify({ token });
  const headers = { 'Content-Type': 'application/json' };
  const browser = new Browser(origin);
  for (const from of ['cross-site', 'same-site']) {
    const refused = await browser.request('/auth/invitation', { method: 'POST', headers, body, from });
    expect(refused.status).toBe(403);
  }
  const statuses = [];
  for (let n = 0; n < 11; n++)
    statuses.push((await browser.ask('POST', '/auth/invitation', { token })).status);
  expect(statuses).toEqual([...Array(10).fill(200), 429]);
});
