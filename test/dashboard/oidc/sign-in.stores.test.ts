import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { ATTEMPT_MS, createSignInAttempts } from '../../../src/edges/dashboard/oidc/sign-in-attempt.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { Browser } from '../../support/browser.ts';
import { startProvider } from '../../support/start-provider.ts';
import { runDashboard } from '../running-dashboard.ts';

const provider = await startProvider();
afterAll(() => provider[Symbol.asyncDispose]());
const ADA = provider.person;
const SECRET = 'of two processes, and of this test';
const { database, log, origin } = await runDashboard({
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: provider.clientId,
  OIDC_CLIENT_SECRET: provider.clientSecret,
  OIDC_NAME: 'Acme',
  DASHBOARD_SECRET: SECRET,
});
provider.serve(origin, 'default');

const START = '/auth/start?provider=default';
let people = 0;
const newPerson = () => ({ ...ADA, sub: `person-${++people}`, name: `Person ${people}` });
const sessionOf = async (browser: Browser) => (await browser.ask('GET', '/dashboard/api/session')).json.data;

beforeEach(async () => {
  // All browsers here have one address, and it has a limit.
  await database.query('DELETE FROM rate_limits');
});

test('images and frames of other pages do not use up the limit of whoever looks at them', async () => {
  await database.query('DELETE FROM rate_limits');
  const ask = (path: string, destination: string) =>
    fetch(origin + path, {
      redirect: 'manual',
      headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': destination },
    });
  for (let n = 0; n < 30; n++) {
    const destination = n % 2 === 0 ? 'image' : 'iframe';
    expect((await ask(START, destination)).status).toBe(403);
    expect((await ask('/auth/callback/default?state=x&code=y', destination)).status).toBe(403);
  }
  const { rows } = await database.query("SELECT key FROM rate_limits WHERE key LIKE '%sign-in%'");
  expect(rows).toEqual([]);
  const started = await ask(START, 'document');
  expect(started.headers.get('location')).toContain(provider.issuer);
});

test('the page hears of the providers, and nothing of their secrets', async () => {
  const { json } = await new Browser(origin).ask('GET', '/dashboard/api/sign-in');
  expect(json.data).toEqual({ providers: [{ id: 'default', name: 'Acme' }] });
});

test('the first sign-in makes a user and an account, the second one finds them', async () => {
  provider.person = newPerson();
  const browser = new Browser(origin);
  expect(await browser.open(`${START}&return_to=/dashboard/upload%3Fa=b`)).toBe('/dashboard/upload?a=b');
  const first = await sessionOf(browser);
  expect(first).toMatchObject({
    user: { name: provider.person.name, email: 'ada@example.net' },
    account: { name: provider.person.name, role: 'owner' },
    ...{ plan: 'free', accounts: [{}], suspended: false },
    identities: [{ issuer: provider.issuer, subject: provider.person.sub, providerName: 'Acme' }],
  });

  const other = new Browser(origin);
  provider.person = { ...provider.person, name: 'Renamed', email: 'new@example.net' };
  expect(await other.open(START)).toBe('/dashboard');
  const second = await sessionOf(other);
  expect(second).toMatchObject({
    user: { id: first.user.id, name: first.user.name, email: 'new@example.net' },
    account: first.account,
  });
  const actions = await database.query(
    'SELECT action, subject FROM audit_events WHERE account_id = $1 ORDER BY id',
    [first.account.id],
  );
  expect(actions.rows).toEqual(Array(2).fill({ action: 'session.started', subject: provider.issuer }));
});

test('another person with the same e-mail address is another user', async () => {
  const ids = [];
  for (let n = 0; n < 2; n++) {
    provider.person = { ...newPerson(), email: 'shared@example.net' };
    const browser = new Browser(origin);
    await browser.open(START);
    ids.push((await sessionOf(browser)).user.id);
  }
  expect(ids[0]).not.toBe(ids[1]);
});

test('first sign-ins of one person at once make one user with one account', async () => {
  provider.person = newPerson();
  const browsers = Array.from({ length: 6 }, () => new Browser(origin));
  const callbacks = await Promise.all(browsers.map((browser) => browser.openUntilCallback(START)));
  await Promise.all(browsers.map((browser, n) => browser.open(callbacks[n]!.href)));
  const sessions = await Promise.all(browsers.map(sessionOf));
  expect(new Set(sessions.map(({ user }) => user.id)).size).toBe(1);
  expect(sessions.map(({ accounts }) => accounts)).toEqual(Array(6).fill([sessions[0].account]));
});

test('a user who was removed from every account gets a new one', async () => {
  provider.person = newPerson();
  const browser = new Browser(origin);
  await browser.open(START);
  const { user, account } = await sessionOf(browser);
  await database.query('DELETE FROM members WHERE user_id = $1', [user.id]);
  expect((await browser.ask('GET', '/dashboard/api/session')).status).toBe(401);
  await browser.open(START);
  const again = await sessionOf(browser);
  expect(again.user.id).toBe(user.id);
  expect(again.account.id).not.toBe(account.id);
});

test.each([
  [{ name: undefined }, 'ada@example.net'],
  [{ name: undefined, email: undefined }, 'Account'],
  [{ name: '\u0000 \u202e\n' }, 'ada@example.net'],
  [{ name: ' <b>Ada</b>\u0000\u001b[2J ' }, '<b>Ada</b> [2J'],
  [{ name: '漢'.repeat(500) }, '漢'.repeat(100)],
])('claims %j give the name %s', async (claims, name) => {
  const { sub } = newPerson();
  const given = Object.entries({ ...ADA, ...claims, sub }).filter(([, value]) => value !== undefined);
  provider.person = Object.fromEntries(given) as unknown as typeof ADA;
  const browser = new Browser(origin);
  await browser.open(START);
  expect(await sessionOf(browser)).toMatchObject({ user: { name }, account: { name } });
});

test('the cookie of a sign-in is for this host alone and short, and ends with it', async () => {
  const browser = new Browser(origin);
  const started = await browser.request(START);
  expect(started.status).toBe(303);
  const location = new URL(started.headers.get('location')!);
  expect(Object.fromEntries(location.searchParams)).toMatchObject({
    ...{ client_id: 'waypost', response_type: 'code', code_challenge_method: 'S256' },
    ...{ redirect_uri: `${origin}/auth/callback/default`, scope: 'openid email profile' },
  });
  const [cookie = ''] = started.headers.getSetCookie();
  expect(cookie.split('; ')).toEqual(
    expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=600']),
  );
  for (const name of ['state', 'nonce', 'code_challenge'])
    expect(cookie).not.toContain(location.searchParams.get(name));
  provider.person = newPerson();
  await browser.open(START);
  expect([...browser.cookies().keys()]).toEqual([`waypost-${new URL(origin).port}`]);
});

test('a request for headers alone begins and ends nothing', async () => {
  const browser = new Browser(origin);
  const callback = await browser.openUntilCallback(START);
  for (const path of [START, callback.href])
    expect((await browser.request(path, { method: 'HEAD' })).status).toBe(405);
  provider.person = newPerson();
  expect(await browser.open(callback.href)).toBe('/dashboard');
});

test('the redirect URI ignores what the request calls our host', async () => {
  const started = await new Browser(origin).request(START, {
    headers: { 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' },
  });
  expect(started.headers.get('location')).not.toContain('evil');
});

describe('what goes wrong has a word:', () => {
  const problem = (word: string) => `/dashboard/sign-in?problem=${word}`;
  const startedState = async (browser: Browser) => {
    const started = await browser.request(START);
    return new URL(started.headers.get('location')!).searchParams.get('state')!;
  };

  test('another browser', async () => {
    provider.person = newPerson();
    const callback = await new Browser(origin).openUntilCallback(START);
    expect(await new Browser(origin).open(callback.href)).toBe(problem('other-browser'));
  });

  test('more than ten minutes at the provider', async () => {
    const longAgo = createSignInAttempts(new Secret(SECRET), () => Date.now() - ATTEMPT_MS - 1);
    const purpose = { providerId: 'default', returnTo: '/dashboard', sessionId: null, invitationId: null };
    for (const [attempt, word] of [
      [longAgo.begin(purpose), 'expired'],
      // The same request in time: only its code is wrong.
      [createSignInAttempts(new Secret(SECRET)).begin(purpose), 'failed'],
    ] as const) {
      const browser = new Browser(origin);
      browser.cookies().set(`waypost-sign-in-${new URL(origin).port}`, attempt.text);
      const query = new URLSearchParams({ code: 'a', state: attempt.state, iss: provider.issuer });
      expect(await browser.open(`/auth/callback/default?${query}`)).toBe(problem(word));
      browser.cookies().clear();
    }
  });

  test('and the page that the person wanted is kept for the next attempt', async () => {
    const page = '/dashboard/domains/domain_1?tab=dns';
    const start = (id: string) => `/auth/start?${new URLSearchParams({ provider: id, return_to: page })}`;
    const failed = `/dashboard/sign-in?${new URLSearchParams({ return_to: page, problem: 'failed' })}`;
    expect(await new Browser(origin).open(start('nobody'))).toBe(failed);
    const browser = new Browser(origin);
    const callback = await browser.openUntilCallback(start('default'));
    callback.searchParams.set('code', 'wrong');
    expect(await browser.open(callback.href)).toBe(failed);
  });

  test('a state that is not ours', async () => {
    const browser = new Browser(origin);
    const callback = await browser.openUntilCallback(START);
    for (const state of ['', 'a.b', `${callback.searchParams.get('state')}x`]) {
      const changed = new URL(callback);
      changed.searchParams.set('state', state);
      const word = state === 'a.b' ? 'expired' : 'other-browser';
      expect(await browser.open(changed.href)).toBe(problem(word));
    }
    // The sign-in itself is not lost by that.
    expect(await browser.open(callback.href)).toBe('/dashboard');
  });

  test('a changed cookie', async () => {
    const browser = new Browser(origin);
    const callback = await browser.openUntilCallback(START);
    const name = [...browser.cookies().keys()].find((one) => one.includes('sign-in'))!;
    const fields = JSON.parse(Buffer.from(browser.cookies().get(name)!, 'base64url').toString());
    fields.returnTo = 'https://evil.example/';
    browser.cookies().set(name, Buffer.from(JSON.stringify(fields)).toString('base64url'));
    expect(await browser.open(callback.href)).toBe(problem('other-browser'));
  });

  test('a code that was used', async () => {
    provider.person = newPerson();
    const browser = new Browser(origin);
    const callback = await browser.openUntilCallback(START);
    const before = new Map(browser.cookies());
    expect(await browser.open(callback.href)).toBe('/dashboard');
    expect(await browser.open(callback.href)).toBe(problem('other-browser'));
    // Not even the cookie of the sign-in helps, as a thief may have it.
    for (const [name, value] of before) browser.cookies().set(name, value);
    expect(await browser.open(callback.href)).toBe(problem('failed'));
  });

  test('the person says no', async () => {
    const browser = new Browser(origin);
    const query = new URLSearchParams({
      ...{ error: 'access_denied', error_description: '<script>alert(1)</script>' },
      ...{ state: await startedState(browser), iss: provider.issuer },
    });
    expect(await browser.open(`/auth/callback/default?${query}`)).toBe(problem('refused'));
    expect(JSON.stringify(log.lines)).not.toContain('<script>');
  });

  test('another error of the provider, whose text may be a secret', async () => {
    const browser = new Browser(origin);
    const state = await startedState(browser);
    const query = new URLSearchParams({ error: 'the secret itself!', state, iss: provider.issuer });
    expect(await browser.open(`/auth/callback/default?${query}`)).toBe(problem('failed'));
    expect(JSON.stringify(log.lines)).not.toContain('the secret itself!');
  });

  test('an answer that names another issuer', async () => {
    const browser = new Browser(origin);
    const callback = await browser.openUntilCallback(START);
    callback.searchParams.set('iss', 'https://evil.example');
    expect(await browser.open(callback.href)).toBe(problem('failed'));
  });

  test('a provider that does not exist', async () => {
    expect(await new Browser(origin).open('/auth/start?provider=none')).toBe(problem('failed'));
    expect(await new Browser(origin).open('/auth/start?provider=default&provider=x')).toBe(problem('failed'));
    const browser = new Browser(origin);
    const callback = await browser.openUntilCallback(START);
    const elsewhere = callback.href.replace('callback/default', 'callback/none');
    expect(await browser.open(elsewhere)).toBe(problem('failed'));
  });

  test('too many starts, and too many failures', async () => {
    const browser = new Browser(origin);
    const starts = [];
    for (let n = 0; n < 21; n++) starts.push((await browser.request(START)).headers.get('location'));
    expect(starts[19]).toContain(provider.issuer);
    expect(starts[20]).toBe(problem('too-many'));
    const ends = [];
    for (let n = 0; n < 12; n++) ends.push(await browser.open('/auth/callback/default?code=a&state=b'));
    expect(ends.slice(0, 10)).toEqual(Array(10).fill(problem('other-browser')));
    expect(ends.slice(10)).toEqual(Array(2).fill(problem('too-many')));
  });
});
