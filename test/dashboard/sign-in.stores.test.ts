import { describe, expect, test, vi } from 'vitest';
import { createSessionCookie } from '../../src/edges/dashboard/cookie.ts';
import { setSuspended } from '../../src/features/accounts/account-store.ts';
import { newToken } from '../../src/features/accounts/secret-token.ts';
import { addAccount } from '../support/accounts.ts';
import { addSession, addUser } from '../support/people.ts';
import { SOON } from '../support/soon.ts';
import { cookieOf, runDashboard } from './running-dashboard.ts';

const { database, log, origin, ask, askWith, linkToken, signIn } = await runDashboard();
const strict = await runDashboard({ DASHBOARD_REQUESTS_PER_MINUTE: '8', AUTH_FAILURES_PER_MINUTE: '3' });
const newAccount = () => addAccount(database);
const cookieName = `waypost-${new URL(origin).port}`;
const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };

/** The addresses of the test's clients are one, and it has a limit. */
const forgetLinks = () => database.query("DELETE FROM rate_limits WHERE key LIKE 'one-time-link%'");

test('a one-time link begins a session, once', async () => {
  const accountId = await newAccount();
  const body = { token: await linkToken(accountId) };
  const first = await ask('POST /auth/link', { body, headers: SAME_ORIGIN });
  expect(first.json).toEqual({ success: true, data: { location: '/dashboard' } });
  const [cookie = ''] = first.headers.getSetCookie();
  expect(cookie.split('; ')).toEqual(
    expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=604800']),
  );
  expect(await ask('POST /auth/link', { body, headers: SAME_ORIGIN })).toMatchObject({
    status: 404,
    json: { error: { details: { reason: 'used' } } },
  });
  const session = await askWith(cookieOf(first))('GET /dashboard/api/session');
  expect(session.json.data).toMatchObject({
    user: { name: 'Operator', email: null },
    account: { id: accountId, role: 'owner' },
    accounts: [{ id: accountId }],
    ...{ identities: [], plan: 'business', suspended: false, apiOrigin: origin, submitsUrls: false },
  });
  await forgetLinks();
});

test('tokens reach neither the log nor an answer', async () => {
  const token = await linkToken(await newAccount());
  const cookie = cookieOf(await ask('POST /auth/link', { body: { token }, headers: SAME_ORIGIN }));
  await ask('POST /auth/link', { body: { token: `${token}.` }, headers: SAME_ORIGIN });
  const refused = await ask('POST /auth/link', { body: { token: [token] }, headers: SAME_ORIGIN });
  expect(refused).toMatchObject({ status: 422, json: { error: { details: { field: 'token' } } } });
  expect(refused.text).not.toContain(token);
  const said = JSON.stringify(log.lines);
  expect(said).toContain('session started');
  for (const secret of [token, cookie.split('=')[1]!]) expect(said).not.toContain(secret);
  await forgetLinks();
});

test('each sign-in makes a new session, and ends the one before it', async () => {
  const accountId = await newAccount();
  const strange = `${cookieName}=${newToken()}`;
  const first = await signIn(accountId, strange);
  expect(first).not.toBe(strange);
  const second = await signIn(accountId, first);
  expect(second).not.toBe(first);
  for (const [cookie, status] of [
    [strange, 401],
    [first, 401],
    [second, 200],
  ] as const)
    expect((await askWith(cookie)('GET /dashboard/api/session')).status).toBe(status);
  await forgetLinks();
});

test('a link that does not work leaves the session as it was', async () => {
  const cookie = await signIn(await newAccount());
  const answered = await askWith(cookie)('POST /auth/link', { body: { token: newToken() } });
  expect(answered.headers.getSetCookie()).toEqual([]);
  expect((await askWith(cookie)('GET /dashboard/api/session')).status).toBe(200);
  await forgetLinks();
});

test('a client may try ten links a minute', async () => {
  const tries = [];
  for (let n = 0; n < 12; n++)
    tries.push(await ask('POST /auth/link', { body: { token: newToken() }, headers: SAME_ORIGIN }));
  expect(tries.map(({ status }) => status)).toEqual([...Array(10).fill(404), 429, 429]);
  expect(Number(tries.at(-1)!.headers.get('retry-after'))).toBeGreaterThan(0);
});

describe('signing out', () => {
  const ofPerson = async (accountId: string, userId: string) => {
    const { id, token } = await addSession(database, { accountId, userId });
    return { id, ask: askWith(`${cookieName}=${token}`) };
  };
  const isOpen = async ({ ask }: Awaited<ReturnType<typeof ofPerson>>) =>
    (await ask('GET /dashboard/api/session')).status === 200;
  const twoSessions = async () => {
    const accountId = await newAccount();
    const userId = await addUser(database, accountId);
    const stranger = await ofPerson(accountId, await addUser(database, accountId));
    const [first, second] = [await ofPerson(accountId, userId), await ofPerson(accountId, userId)];
    return { accountId, userId, stranger, first, second };
  };

  test('ends this session, and again does no harm', async () => {
    const { first, second } = await twoSessions();
    for (let n = 0; n < 2; n++) {
      const answered = await first.ask('POST /auth/sign-out');
      expect(answered.json.data).toEqual({ location: '/dashboard/sign-in' });
      expect(answered.headers.getSetCookie()[0]).toMatch(
        new RegExp(`^${cookieName}=; .*Expires=Thu, 01 Jan 1970`),
      );
    }
    expect([await isOpen(first), await isOpen(second)]).toEqual([false, true]);
  });

  test('everywhere ends all sessions of the person, and no other', async () => {
    const { first, second, stranger } = await twoSessions();
    expect((await first.ask('DELETE /dashboard/api/sessions')).status).toBe(200);
    expect([await isOpen(first), await isOpen(second), await isOpen(stranger)]).toEqual([false, false, true]);
  });

  test('lists own sessions, and ends one of them', async () => {
    const { first, second, stranger } = await twoSessions();
    const { data } = (await first.ask('GET /dashboard/api/sessions')).json;
    expect(data).toMatchObject([
      { id: second.id, current: false },
      { id: first.id, current: true },
    ]);
    expect((await first.ask(`DELETE /dashboard/api/sessions/${second.id}`)).status).toBe(200);
    expect((await first.ask(`DELETE /dashboard/api/sessions/${stranger.id}`)).status).toBe(404);
    expect([await isOpen(first), await isOpen(second), await isOpen(stranger)]).toEqual([true, false, true]);
  });

  test('a suspended account leaves its people these', async () => {
    const { accountId, first } = await twoSessions();
    await setSuspended(database, accountId, true);
    expect((await first.ask('GET /dashboard/api/session')).json.data.suspended).toBe(true);
    expect((await first.ask('GET /dashboard/api/sessions')).status).toBe(200);
    expect((await first.ask('GET /dashboard/api/domains')).status).toBe(403);
    expect((await first.ask('POST /auth/sign-out')).status).toBe(200);
  });
});

test('a person goes from one account to another, and to no foreign one', async () => {
  const [first, second, foreign] = [await newAccount(), await newAccount(), await newAccount()];
  const userId = await addUser(database, first);
  await database.query("INSERT INTO members VALUES ($1, $2, 'member')", [second, userId]);
  const { token } = await addSession(database, { accountId: first, userId });
  const asked = askWith(`${cookieName}=${token}`);
  const to = async (accountId: unknown) =>
    (await asked('POST /dashboard/api/session', { body: { accountId } })).status;
  expect(await to(foreign)).toBe(403);
  expect(await to(['x'])).toBe(422);
  expect(await to(second)).toBe(200);
  expect((await asked('GET /dashboard/api/session')).json.data.account).toMatchObject({
    id: second,
    role: 'member',
  });
});

test('requests are limited by person, over all sessions, and not by the plan', async () => {
  const accountId = await addAccount(strict.database, 'free');
  const cookies = [await strict.signIn(accountId), await strict.signIn(accountId)];
  const statuses = [];
  for (let n = 0; n < 10; n++)
    statuses.push((await strict.askWith(cookies[n % 2]!)('GET /dashboard/api/domains')).status);
  expect(statuses).toEqual([...Array(8).fill(200), 429, 429]);
});

test('a person whose open pages have read too much may still make changes, which have the same limit', async () => {
  const asked = strict.askWith(await strict.signIn(await addAccount(strict.database)));
  const statusesOf = async (asks: string) =>
    (await Promise.all(Array.from({ length: 10 }, () => asked(asks)))).map(({ status }) => status).sort();
  const read = 'GET /dashboard/api/domains';
  expect(await statusesOf(read)).toEqual([...Array(8).fill(200), 429, 429]);
  // No such session: the request was admitted.
  const change = 'DELETE /dashboard/api/sessions/session_0000000000000000000000';
  expect(await statusesOf(change)).toEqual([...Array(8).fill(404), 429, 429]);
  // The limit is remembered, and stays one of reads and one of changes.
  expect((await asked(read)).status).toBe(429);
});

test('unknown sessions cost nothing after a while', async () => {
  const name = `waypost-${new URL(strict.origin).port}`;
  const asked = (token: string) => strict.askWith(`${name}=${token}`)('GET /dashboard/api/session');
  const own = await strict.signIn(await addAccount(strict.database));
  const ownAsks = async () => (await strict.askWith(own)('GET /dashboard/api/session')).status;
  expect(await ownAsks()).toBe(200);
  const statuses = [];
  for (let n = 0; n < 5; n++) statuses.push((await asked(newToken())).status);
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
  // A person who was signed in lately stays signed in. A page without a cookie gets a 401 at once.
  expect(await ownAsks()).toBe(200);
  expect((await strict.ask('GET /dashboard/api/session')).status).toBe(401);
  await vi.waitFor(() => {
    expect(strict.log.lines.map(({ message }) => message)).toContain(
      'client blocked: too many failed authentications',
    );
  }, SOON);
});

test('the name of the cookie is what the fixture thinks', () => {
  expect(
    createSessionCookie(origin).read({ headers: { cookie: `${cookieName}=${newToken()}` } } as never),
  ).toBeDefined();
});

test('a stranger who signs out of nothing, again and again, soon costs no statement', async () => {
  const signOut = (cookie: string) => strict.askWith(cookie)('POST /auth/sign-out');
  const name = `waypost-${new URL(strict.origin).port}`;
  const statuses = [];
  for (let n = 0; n < 22; n++) statuses.push((await signOut(`${name}=${newToken()}`)).status);
  expect(statuses).toEqual([...Array(21).fill(200), 429]);
  // A request without a cookie needs no look-up.
  expect((await signOut('')).status).toBe(200);
});

test.each(['\0', 'account_\uD800'])('an account of the id %j is none of the person', async (other) => {
  const accountId = await newAccount();
  const { token } = await addSession(database, { accountId, userId: await addUser(database, accountId) });
  const as = askWith(`${cookieName}=${token}`);
  const { status } = await as('POST /dashboard/api/session', { body: { accountId: other } });
  expect([400, 403, 422]).toContain(status);
});
