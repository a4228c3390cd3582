/** Sign-out at the provider, and the notice of it by the provider (OpenID Connect Back-Channel Logout 1.0). */
import type { JWTPayload } from 'jose';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Browser } from '../../support/browser.ts';
import { startProvider } from '../../support/start-provider.ts';
import { runDashboard } from '../running-dashboard.ts';

const provider = await startProvider();
const other = await startProvider();
const providers = { acme: provider, other };
afterAll(() => Promise.all([provider[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]));
const { database, origin } = await runDashboard({
  OIDC_PROVIDERS: JSON.stringify(
    Object.entries(providers).map(([id, { issuer, clientId, clientSecret }]) => ({
      ...{ id, name: id, issuer, clientId, clientSecret },
    })),
  ),
});
for (const [id, one] of Object.entries(providers)) one.serve(origin, id);

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
let people = 0;
let tokens = 0;

beforeEach(async () => {
  provider.instead = () => false;
  await database.query('DELETE FROM rate_limits');
});

async function signedIn(sub = `person-${++people}`) {
  provider.person = { sub, name: sub };
  const browser = new Browser(origin);
  await browser.open('/auth/start?provider=acme');
  const { rows } = await database.query(
    'SELECT sid FROM sessions WHERE subject = $1 ORDER BY created_at DESC',
    [sub],
  );
  return { browser, sub, sid: rows[0].sid as string };
}

const isSignedIn = async (browser: Browser) =>
  (await browser.ask('GET', '/dashboard/api/session')).status === 200;

function claims(more: JWTPayload = {}): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  const { issuer, clientId } = provider;
  return {
    iss: issuer,
    aud: clientId,
    iat: now,
    exp: now + 120,
    jti: `t${++tokens}`,
    events: { [EVENT]: {} },
    ...more,
  };
}

async function tell(token: string, id = 'acme', type = 'application/x-www-form-urlencoded') {
  const response = await fetch(`${origin}/auth/back-channel-logout/${id}`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body: String(new URLSearchParams({ logout_token: token })),
  });
  await response.text();
  return { status: response.status, cache: response.headers.get('cache-control') };
}

const signed = (payload: JWTPayload, header = {}) => provider.sign(payload, { typ: 'logout+jwt', ...header });

test('sign-out goes to the provider, which knows whom it is for, and comes back', async () => {
  const { browser } = await signedIn();
  const { json } = await browser.ask('POST', '/auth/sign-out');
  const location = new URL(json.data.location);
  expect(location.origin).toBe(provider.issuer);
  expect(location.searchParams.get('post_logout_redirect_uri')).toBe(`${origin}/dashboard/sign-in`);
  expect(location.searchParams.get('id_token_hint')?.split('.')).toHaveLength(3);
  const page = await browser.request(location.href);
  expect(page.status).toBe(200);
  expect(await isSignedIn(browser)).toBe(false);
});

test('an ID token that fits into no address is not kept', async () => {
  const now = Math.floor(Date.now() / 1000);
  const browser = new Browser(origin);
  const started = new URL((await browser.request('/auth/start?provider=acme')).headers.get('location')!);
  const idToken = await provider.sign({
    ...{ iss: provider.issuer, aud: provider.clientId, sub: 'talkative', iat: now, exp: now + 60 },
    ...{ nonce: started.searchParams.get('nonce'), email: 'a@b.example', name: 'a'.repeat(9000) },
  });
  provider.instead = ({ url }, response) => {
    if (url !== '/token') return false;
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ access_token: 'a', token_type: 'Bearer', id_token: idToken }));
    return true;
  };
  const state = started.searchParams.get('state')!;
  const query = new URLSearchParams({ code: 'a', state, iss: provider.issuer });
  expect(await browser.open(`/auth/callback/acme?${query}`)).toBe('/dashboard');
  const { json } = await browser.ask('POST', '/auth/sign-out');
  expect(new URL(json.data.location).searchParams.has('id_token_hint')).toBe(false);
});

test('sign-out works while the provider is down', async () => {
  const { browser } = await signedIn();
  await provider.down();
  expect((await browser.ask('POST', '/auth/sign-out')).status).toBe(200);
  await provider.up();
  expect(await isSignedIn(browser)).toBe(false);
});

test('the ID token is sealed in the database', async () => {
  const { sub } = await signedIn();
  const { rows } = await database.query('SELECT id_token FROM sessions WHERE subject = $1', [sub]);
  expect(rows[0].id_token).toEqual(expect.any(String));
  expect(rows[0].id_token).not.toContain('.');
});

describe('back-channel logout', () => {
  test('with a sid ends that session', async () => {
    const one = await signedIn();
    const two = await signedIn(one.sub);
    expect(one.sid).not.toBe(two.sid);
    const token = await signed(claims({ sid: one.sid }));
    expect(await tell(token)).toEqual({ status: 200, cache: 'no-store' });
    expect(await isSignedIn(one.browser)).toBe(false);
    expect(await isSignedIn(two.browser)).toBe(true);
  });

  test('with a subject ends all of its sessions, and those of nobody else', async () => {
    const one = await signedIn();
    const two = await signedIn(one.sub);
    const stranger = await signedIn();
    expect((await tell(await signed(claims({ sub: one.sub })))).status).toBe(200);
    expect(await isSignedIn(one.browser)).toBe(false);
    expect(await isSignedIn(two.browser)).toBe(false);
    expect(await isSignedIn(stranger.browser)).toBe(true);
  });

  test('with both ends the session, and those without a sid', async () => {
    const one = await signedIn();
    const two = await signedIn(one.sub);
    const three = await signedIn(one.sub);
    await database.query('UPDATE sessions SET sid = NULL WHERE sid = $1', [three.sid]);
    expect((await tell(await signed(claims({ sub: one.sub, sid: one.sid })))).status).toBe(200);
    expect(await isSignedIn(one.browser)).toBe(false);
    expect(await isSignedIn(two.browser)).toBe(true);
    expect(await isSignedIn(three.browser)).toBe(false);
    expect((await tell(await signed(claims({ sub: 'another', sid: two.sid })))).status).toBe(200);
    expect(await isSignedIn(two.browser)).toBe(true);
  });

  test('from the real provider arrives', async () => {
    const { browser } = await signedIn();
    const { json } = await browser.ask('GET', '/dashboard/api/session');
    expect(json.success).toBe(true);
    // The person opens the sign-out page of the provider, and confirms.
    const page = await (await browser.request(`${provider.issuer}/session/end`)).text();
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)![1]!;
    await browser.request(`${provider.issuer}/session/end/confirm`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ xsrf, logout: 'yes' })),
    });
    expect(await isSignedIn(browser)).toBe(false);
  });

  test.each([undefined, 'JWT', 'logout+jwt', 'application/logout+jwt'])('takes the type %s', async (typ) => {
    const { browser, sub } = await signedIn();
    const header = typ === undefined ? {} : { typ };
    expect((await tell(await provider.sign(claims({ sub }), header))).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(false);
  });

  const now = () => Math.floor(Date.now() / 1000);
  test.each<[string, (sub: string) => Promise<string>]>([
    ['another type', (sub) => signed(claims({ sub }), { typ: 'at+jwt' })],
    ['another issuer', (sub) => signed(claims({ sub, iss: other.issuer }))],
    ['another audience', (sub) => signed(claims({ sub, aud: 'another' }))],
    ['no audience', (sub) => signed(without('aud', claims({ sub })))],
    ['no time', (sub) => signed(without('iat', claims({ sub })))],
    ['an old time', (sub) => signed(claims({ sub, iat: now() - 400, exp: now() + 60 }))],
    ['a time in the future', (sub) => signed(claims({ sub, iat: now() + 200, exp: now() + 400 }))],
    ['an end that has passed', (sub) => signed(claims({ sub, exp: now() - 100 }))],
    ['no event', (sub) => signed(claims({ sub, events: {} }))],
    ['another event', (sub) => signed(claims({ sub, events: { other: {} } }))],
    ['an event that is no object', (sub) => signed(claims({ sub, events: { [EVENT]: true } }))],
    ['a nonce', (sub) => signed(claims({ sub, nonce: 'a' }))],
    ['a nonce of null', (sub) => signed(claims({ sub, nonce: null }))],
    ['no jti', (sub) => signed(without('jti', claims({ sub })))],
    ['neither sid nor subject', () => signed(claims())],
    ['the key of another provider', (sub) => other.sign(claims({ sub }), { typ: 'logout+jwt' })],
    ['an unknown key', (sub) => signed(claims({ sub }), { kid: 'unknown' })],
    ['no signature', async (sub) => unsigned(claims({ sub }))],
    ['a changed body', async (sub) => changed(await signed(claims({ sub: 'a' })), claims({ sub }))],
    ['no token at all', async () => 'a.b.c'],
    ['nothing', async () => ''],
  ])('with %s is refused', async (_title, make) => {
    const { browser, sub } = await signedIn();
    expect(await tell(await make(sub))).toEqual({ status: 400, cache: 'no-store' });
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('works once for each token, also at once', async () => {
    const { sub } = await signedIn();
    const token = await signed(claims({ sub }));
    const statuses = await Promise.all(Array.from({ length: 6 }, () => tell(token)));
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
    const { browser } = await signedIn(sub);
    expect((await tell(token)).status).toBe(400);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('is not for another provider, an unknown one, another type of body or a huge one', async () => {
    const { browser, sub } = await signedIn();
    expect((await tell(await signed(claims({ sub })), 'other')).status).toBe(400);
    expect((await tell(await signed(claims({ sub })), 'none')).status).toBe(400);
    expect((await tell(await signed(claims({ sub })), 'acme', 'application/json')).status).toBe(400);
    expect((await tell('a'.repeat(20_000))).status).toBe(413);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('from a stranger costs the provider few requests, and soon nothing', async () => {
    await signedIn();
    const token = await signed(claims({ sub: 'a' }), { kid: 'unknown' });
    const asked = provider.paths.length;
    const statuses = [];
    for (let n = 0; n < 70; n++) statuses.push((await tell(token)).status);
    expect(provider.paths.slice(asked).length).toBeLessThan(10);
    expect(statuses.slice(0, 60)).toEqual(Array(60).fill(400));
    expect(statuses.at(-1)).toBe(429);
  });
});

function without(name: string, payload: JWTPayload): JWTPayload {
  return Object.fromEntries(Object.entries(payload).filter(([key]) => key !== name));
}

function unsigned(payload: JWTPayload): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none', typ: 'logout+jwt' })}.${part(payload)}.`;
}

function changed(token: string, payload: JWTPayload): string {
  const [header, , signature] = token.split('.');
  return `${header}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.${signature}`;
}
