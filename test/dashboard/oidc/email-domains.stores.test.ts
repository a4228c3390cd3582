import { afterAll, beforeEach, expect, test } from 'vitest';
import { Browser } from '../../support/browser.ts';
import { startProvider } from '../../support/start-provider.ts';
import { runDashboard } from '../running-dashboard.ts';

const provider = await startProvider();
afterAll(() => provider[Symbol.asyncDispose]());
const { database, origin } = await runDashboard({
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: provider.clientId,
  OIDC_CLIENT_SECRET: provider.clientSecret,
  OIDC_EMAIL_DOMAINS: 'Example.NET, example.org, bücher.example',
});
provider.serve(origin, 'default');
const START = '/auth/start?provider=default';
let people = 0;

beforeEach(async () => {
  await database.query('DELETE FROM rate_limits');
});

test.each(['ada@example.net', 'ADA@EXAMPLE.NET', 'a"@b"@example.org', 'a@bücher.example'])(
  '%s may sign in',
  async (email) => {
    provider.person = { sub: `person-${++people}`, email, email_verified: true };
    expect(await new Browser(origin).open(START)).toBe('/dashboard');
  },
);

test.each([
  [{ email: 'ada@example.net' }],
  [{ email: 'ada@example.net', email_verified: false }],
  [{ email: 'ada@example.net', email_verified: 'true' as unknown as boolean }],
  [{ email: 'ada@sub.example.net', email_verified: true }],
  [{ email: 'ada@example.net.evil.example', email_verified: true }],
  [{ email: 'ada@example.net@evil.example', email_verified: true }],
  [{ email: 'ada@evil.example\u0000@example.net', email_verified: true }],
  [{ email: 'example.net', email_verified: true }],
  [{ email: '@example.net', email_verified: true }],
  [{ email: '', email_verified: true }],
  [{ email_verified: true }],
])('%j may not, and nothing is made', async (claims) => {
  provider.person = { sub: `person-${++people}`, ...claims };
  const browser = new Browser(origin);
  expect(await browser.open(START)).toBe('/dashboard/sign-in?problem=email-domain');
  const { rowCount } = await database.query('SELECT FROM identities WHERE subject = $1', [
    provider.person.sub,
  ]);
  expect(rowCount).toBe(0);
  expect(browser.cookies().size).toBe(0);
});

test('who loses the address does not sign in again', async () => {
  const sub = `person-${++people}`;
  provider.person = { sub, email: 'ada@example.net', email_verified: true };
  expect(await new Browser(origin).open(START)).toBe('/dashboard');
  provider.person = { sub, email: 'ada@elsewhere.example', email_verified: true };
  expect(await new Browser(origin).open(START)).toBe('/dashboard/sign-in?problem=email-domain');
});
