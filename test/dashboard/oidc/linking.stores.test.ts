import { afterAll, beforeEach, expect, test } from 'vitest';
import { Browser } from '../../support/browser.ts';
import { startProvider } from '../../support/start-provider.ts';
import { runDashboard } from '../running-dashboard.ts';

const acme = await startProvider();
const other = await startProvider();
const gone = await startProvider();
const providers = { acme, other, gone };
afterAll(() => Promise.all(Object.values(providers).map((one) => one[Symbol.asyncDispose]())));
const { database, origin, linkToken } = await runDashboard({
  OIDC_PROVIDERS: JSON.stringify(
    Object.entries(providers).map(([id, { issuer, clientId, clientSecret }]) => ({
      ...{ id, name: id, issuer, clientId, clientSecret },
    })),
  ),
});
for (const [id, provider] of Object.entries(providers)) provider.serve(origin, id);

const LINK = '/auth/start?provider=other&link=1&return_to=/dashboard/settings';
const OURS = { from: 'same-origin' };
let people = 0;

beforeEach(async () => {
  other.instead = () => false;
  await database.query('DELETE FROM rate_limits');
});

const sessionOf = async (browser: Browser) => (await browser.ask('GET', '/dashboard/api/session')).json.data;
const tokenOf = (browser: Browser) => browser.cookies().get(`waypost-${new URL(origin).port}`);

/** Returns a browser that is signed in at one provider. The other provider will name an identity that has no user yet. */
async function newPerson() {
  const browser = new Browser(origin);
  const sub = `person-${++people}`;
  acme.person = { sub, name: sub };
  other.person = { sub: `other-${sub}` };
  await browser.open('/auth/start?provider=acme');
  return browser;
}

test('a second identity is added, and the session gets another token', async () => {
  const browser = await newPerson();
  const before = await sessionOf(browser);
  const token = tokenOf(browser);
  const started = await browser.request(LINK, OURS);
  expect(new URL(started.headers.get('location')!).searchParams.get('max_age')).toBe('300');
  expect(await browser.open(LINK, OURS)).toBe('/dashboard/settings');
  const after = await sessionOf(browser);
  expect(after).toMatchObject({ user: { id: before.user.id }, account: before.account });
  expect(after.identities.map(({ subject }: { subject: string }) => subject)).toEqual([
    acme.person.sub,
    other.person.sub,
  ]);
  expect(tokenOf(browser)).not.toBe(token);
  const former = new Browser(origin);
  former.cookies().set(`waypost-${new URL(origin).port}`, token!);
  expect((await former.ask('GET', '/dashboard/api/session')).status).toBe(401);

  const elsewhere = new Browser(origin);
  await elsewhere.open('/auth/start?provider=other');
  expect((await sessionOf(elsewhere)).user.id).toBe(before.user.id);
  const { rows } = await database.query(
    "SELECT actor_name, details FROM audit_events WHERE action = 'identity.linked' AND account_id = $1",
    [before.account.id],
  );
  expect(rows).toEqual([{ actor_name: acme.person.sub, details: { issuer: other.issuer } }]);
});

test('linking an identity that is there already changes nothing', async () => {
  const browser = await newPerson();
  await browser.open(LINK, OURS);
  expect(await browser.open(LINK, OURS)).toBe('/dashboard/settings');
  expect((await sessionOf(browser)).identities).toHaveLength(2);
});

test("somebody else's identity is refused, and the session goes on", async () => {
  const owner = await newPerson();
  await owner.open('/auth/start?provider=other');
  const { sub } = other.person;
  const browser = await newPerson();
  other.person = { sub };
  const token = tokenOf(browser);
  expect(await browser.open(LINK, OURS)).toBe('/dashboard/settings?problem=linked-elsewhere');
  expect((await sessionOf(browser)).identities).toHaveLength(1);
  expect(tokenOf(browser)).toBe(token);
});

test.each([
  ['is too old', -331],
  ['is not said', undefined],
])('a sign-in at the provider whose time %s is no proof', async (_title, age) => {
  const browser = await newPerson();
  const started = new URL((await browser.request(LINK, OURS)).headers.get('location')!).searchParams;
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    ...{ iss: other.issuer, aud: other.clientId, sub: other.person.sub, nonce: started.get('nonce') },
    ...{ iat: now, exp: now + 60, email: 'a@example.net', name: 'a' },
    ...(age !== undefined && { auth_time: now + age }),
  };
  const idToken = await other.sign(claims);
  other.instead = ({ url }, response) => {
    if (url !== '/token') return false;
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ access_token: 'a', token_type: 'Bearer', id_token: idToken }));
    return true;
  };
  const query = new URLSearchParams({ code: 'a', state: started.get('state')!, iss: other.issuer });
  expect(await browser.open(`/auth/callback/other?${query}`)).toBe('/dashboard/settings?problem=stale');
  expect((await sessionOf(browser)).identities).toHaveLength(1);
});

test('only our own page begins to link', async () => {
  const browser = await newPerson();
  for (const from of ['cross-site', 'same-site', 'none'])
    expect(await browser.open(LINK, { from })).toBe('/dashboard/settings?problem=failed');
  const plain = async (referer?: string) => {
    const response = await fetch(new URL(LINK, origin), {
      redirect: 'manual',
      headers: { Cookie: `waypost-${new URL(origin).port}=${tokenOf(browser)}`, ...(referer && { referer }) },
    });
    return response.headers.get('location');
  };
  expect(await plain(`${origin}/dashboard`)).toContain(other.issuer);
  for (const referer of [undefined, 'https://evil.example/', `${origin}.evil.example/`, 'null'])
    expect(await plain(referer)).toBe('/dashboard/settings?problem=failed');
});

test('nobody links without a session, and not with another one than at the start', async () => {
  expect(await new Browser(origin).open(LINK, OURS)).toBe('/dashboard/sign-in?problem=signed-out');
  const browser = await newPerson();
  const callback = await browser.openUntilCallback(LINK, OURS);
  // In another tab, the person signs in again.
  await browser.open('/auth/start?provider=acme');
  expect(await browser.open(callback.href)).toBe('/dashboard/sign-in?problem=other-browser');
  const second = await newPerson();
  const pending = await second.openUntilCallback(LINK, OURS);
  await second.ask('DELETE', '/dashboard/api/sessions');
  expect(await second.open(pending.href)).toBe('/dashboard/sign-in?problem=signed-out');
});

test('an identity is removed, with its sessions, but not the last one that can sign in', async () => {
  const browser = await newPerson();
  const [first] = (await sessionOf(browser)).identities;
  const remove = ({ issuer, subject }: { issuer: string; subject: string }) =>
    browser.ask('DELETE', '/dashboard/api/identities', { issuer, subject });
  expect((await remove(first)).status).toBe(409);
  // An identity cannot sign in if its provider is no longer configured.
  await database.query(
    "INSERT INTO identities (issuer, subject, user_id) SELECT 'https://former.example', 'a', user_id FROM identities WHERE subject = $1",
    [first.subject],
  );
  expect((await remove(first)).status).toBe(409);
  await browser.open(LINK, OURS);
  const withFirst = new Browser(origin);
  await withFirst.open('/auth/start?provider=acme');
  expect((await remove(first)).status).toBe(200);
  expect((await withFirst.ask('GET', '/dashboard/api/session')).status).toBe(401);
  expect((await sessionOf(browser)).identities.map(({ issuer }: { issuer: string }) => issuer)).toEqual([
    'https://former.example',
    other.issuer,
  ]);
  expect((await remove(first)).status).toBe(404);
  const stranger = await newPerson();
  const [strange] = (await sessionOf(stranger)).identities;
  expect((await remove(strange)).status).toBe(404);
  const { rows } = await database.query(
    "SELECT details FROM audit_events WHERE action = 'identity.unlinked'",
  );
  expect(rows).toEqual([{ details: { issuer: acme.issuer } }]);
});

test('two identities removed at once leave one', async () => {
  const browser = await newPerson();
  await browser.open(LINK, OURS);
  const { identities, user } = await sessionOf(browser);
  const statuses = await Promise.all(
    identities.map(({ issuer, subject }: { issuer: string; subject: string }) =>
      browser.ask('DELETE', '/dashboard/api/identities', { issuer, subject }).then(({ status }) => status),
    ),
  );
  // The session of the one that is left may be the one that ended.
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  const { rowCount } = await database.query('SELECT FROM identities WHERE user_id = $1', [user.id]);
  expect(rowCount).toBe(1);
});

test.each([{}, { issuer: 'a' }, { issuer: 1, subject: 'a' }, { issuer: 'a\0', subject: 'a' }])(
  '%j names no identity',
  async (body) => {
    const browser = await newPerson();
    expect((await browser.ask('DELETE', '/dashboard/api/identities', body)).status).toBe(422);
  },
);

test('whoever signed in with a one-time link may add an identity', async () => {
  const person = await newPerson();
  const { account } = await sessionOf(person);
  const browser = new Browser(origin);
  other.person = { sub: `local-${people}` };
  await browser.ask('POST', '/auth/link', { token: await linkToken(account.id) });
  expect(await browser.open(LINK, OURS)).toBe('/dashboard/settings');
  expect((await sessionOf(browser)).identities).toHaveLength(1);
});
