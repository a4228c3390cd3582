/** Providers that are down, hang, lie, or sign other things than they should. */
import type { ServerResponse } from 'node:http';
import type { JWTPayload } from 'jose';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Browser } from '../../support/browser.ts';
import { startProvider } from '../../support/start-provider.ts';
import { runDashboard } from '../running-dashboard.ts';

/** The metadata are held, so each of these asks a provider that nobody has asked. */
const FAULTS = Object.entries<(response: ServerResponse, issuer: string) => void>({
  'answers garbage': (response) => void response.end('<html>'),
  'answers an empty object': (response) => json(response, {}),
  'is another issuer': (response) => json(response, { issuer: 'https://id.example.net' }),
  'writes its issuer with a slash': (response, issuer) => json(response, { issuer: `${issuer}/` }),
  'has no place to sign in': (response, issuer) => json(response, { issuer }),
  'sends browsers to a script': (response, issuer) =>
    json(response, { issuer, authorization_endpoint: 'javascript:alert(1)' }),
  redirects: (response) => void response.writeHead(302, { Location: '/' }).end(),
  fails: (response) => void response.writeHead(500).end(),
  'cuts the connection': (response) => void response.destroy(),
  'answers without an end': (response) => endless(response),
  hangs: () => {},
});

const ids = ['acme', 'other', 'down', 'busy', ...FAULTS.map((_fault, n) => `fault-${n}`)];
const providers = await Promise.all(ids.map(async (id) => ({ id, provider: await startProvider() })));
afterAll(() => Promise.all(providers.map(({ provider }) => provider[Symbol.asyncDispose]())));
const { database, log, origin } = await runDashboard({
  OIDC_PROVIDERS: JSON.stringify(
    providers.map(({ id, provider: { issuer, clientId, clientSecret } }) => ({
      ...{ id, name: id, issuer, clientId, clientSecret },
    })),
  ),
});
for (const { id, provider } of providers) provider.serve(origin, id);
const providerOf = (id: string) => providers.find((one) => one.id === id)!.provider;
const acme = providerOf('acme');
const other = providerOf('other');

const START = '/auth/start?provider=acme';
const problem = (word: string) => `/dashboard/sign-in?problem=${word}`;

beforeEach(async () => {
  acme.instead = () => false;
  await database.query('DELETE FROM rate_limits');
});

/** A browser that comes back, and the provider answers with an ID token of these claims. */
async function comeBackWith(claims: (good: JWTPayload) => JWTPayload, header = {}) {
  const browser = new Browser(origin);
  const started = new URL((await browser.request(START)).headers.get('location')!).searchParams;
  const now = Math.floor(Date.now() / 1000);
  const nonce = started.get('nonce')!;
  const good = { iss: acme.issuer, aud: acme.clientId, sub: 'ada', nonce, iat: now, exp: now + 60 };
  const idToken = await acme.sign(claims({ ...good, email: 'a@example.net', name: 'Ada' }), header);
  acme.instead = ({ url }, response) => {
    if (url !== '/token') return false;
    json(response, { access_token: 'a', token_type: 'Bearer', id_token: idToken });
    return true;
  };
  const query = new URLSearchParams({ code: 'a', state: started.get('state')!, iss: acme.issuer });
  return browser.open(`/auth/callback/acme?${query}`);
}

describe('an ID token', () => {
  test('that is right is taken', async () => {
    expect(await comeBackWith((good) => good)).toBe('/dashboard');
  });

  test.each<[string, (good: JWTPayload) => JWTPayload]>([
    ['with another nonce', (good) => ({ ...good, nonce: 'another' })],
    ['without a nonce', ({ nonce: _nonce, ...rest }) => rest],
    ['of another issuer', (good) => ({ ...good, iss: other.issuer })],
    ['for another client', (good) => ({ ...good, aud: 'another' })],
    [
      'for several clients, of which another one asked',
      (good) => ({ ...good, aud: ['waypost', 'b'], azp: 'b' }),
    ],
    ['that has expired', (good) => ({ ...good, exp: good.iat! - 3600 })],
    ['without a subject', ({ sub: _sub, ...rest }) => rest],
    ['with NUL in the subject', (good) => ({ ...good, sub: 'a\0b' })],
    ['with half a character in the subject', (good) => ({ ...good, sub: 'a\ud800' })],
    ['with an endless subject', (good) => ({ ...good, sub: 'a'.repeat(256) })],
  ])('%s is refused', async (_title, claims) => {
    expect(await comeBackWith(claims)).toBe(problem('failed'));
  });

  test('that another key has signed is refused', async () => {
    const sign = acme.sign;
    acme.sign = other.sign;
    try {
      expect(await comeBackWith((good) => good)).toBe(problem('failed'));
    } finally {
      acme.sign = sign;
    }
  });

  test('with claims of the wrong kind is taken without them', async () => {
    const strange = { name: { a: 1 }, email: ['a@b.c'], sid: 5, sub: 'strange' };
    expect(await comeBackWith((good) => ({ ...good, ...strange }))).toBe('/dashboard');
    const { rows } = await database.query(
      "SELECT u.name, u.email, s.sid FROM users u JOIN identities i ON i.user_id = u.id JOIN sessions s ON s.user_id = u.id WHERE i.subject = 'strange'",
    );
    expect(rows).toEqual([{ name: 'Account', email: null, sid: null }]);
  });
});

test('a code of one provider is of no use at another (mix-up)', async () => {
  const browser = new Browser(origin);
  const callback = await browser.openUntilCallback(START);
  const mixed = callback.href.replace('callback/acme', 'callback/other');
  const asked = other.paths.length;
  expect(await browser.open(mixed)).toBe(problem('failed'));
  expect(other.paths.slice(asked)).not.toContain('/token');
});

describe('a provider', () => {
  test('that is down stops nothing else, and works as soon as it is back', async () => {
    const provider = providerOf('down');
    const browser = new Browser(origin);
    await provider.down();
    expect(await browser.open('/auth/start?provider=down')).toBe(problem('provider-down'));
    expect(await browser.open(START)).toBe('/dashboard');
    expect(log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'an identity provider does not work' }),
    );
    await provider.up();
    const callback = await browser.openUntilCallback('/auth/start?provider=down');
    // Now the metadata are known, and the code cannot be exchanged.
    await provider.down();
    expect(await browser.open(callback.href)).toBe(problem('provider-down'));
    await provider.up();
    expect(await browser.open('/auth/start?provider=down')).toBe('/dashboard');
  });

  test('is asked once by many who start at the same time, and not again for an hour', async () => {
    const browser = new Browser(origin);
    const start = () => browser.request('/auth/start?provider=busy');
    await Promise.all(Array.from({ length: 10 }, start));
    await start();
    expect(providerOf('busy').paths).toEqual(['/.well-known/openid-configuration']);
  });

  test.each(FAULTS.map(([title, answer], n) => [title, answer, `fault-${n}`] as const))(
    'that %s is told apart, and nothing of it is kept',
    async (_title, answer, id) => {
      const provider = providerOf(id);
      const browser = new Browser(origin);
      provider.instead = (_request, response) => {
        answer(response, provider.issuer);
        return true;
      };
      expect(await browser.open(`/auth/start?provider=${id}`)).toBe(problem('provider-down'));
      provider.instead = () => false;
      expect(await browser.open(`/auth/start?provider=${id}`)).toBe('/dashboard');
    },
  );
});

/** More than anybody keeps. */
function endless(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  };
  response.on('drain', more).on('error', () => {});
  more();
}

test('neither codes, nor tokens, nor secrets are logged', async () => {
  const browser = new Browser(origin);
  const callback = await browser.openUntilCallback(START);
  acme.instead = ({ url }, response) => {
    if (url === '/token')
      response
        .writeHead(400, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ error: 'invalid_client', error_description: acme.clientSecret }));
    return url === '/token';
  };
  expect(await browser.open(callback.href)).toBe(problem('failed'));
  const said = JSON.stringify(log.lines);
  expect(said).toContain('invalid_client');
  const secrets = ['code', 'state'].map((name) => callback.searchParams.get(name)!);
  for (const secret of [...secrets, acme.clientSecret]) expect(said).not.toContain(secret);
});

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
