import { expect, test } from 'vitest';
import { readConfig } from '../../../src/core/config/config.ts';
import { readProviders } from '../../../src/edges/dashboard/oidc/read-providers.ts';
import { ConfigError } from '../../../src/platform/process/config-error.ts';

const read = (environment: Record<string, string>) => readProviders(readConfig(environment));
const ONE = {
  id: 'acme',
  name: 'Acme',
  issuer: 'https://id.example.net',
  clientId: 'a',
  clientSecret: 'hunter2',
};

function messageFor(environment: Record<string, string>): string {
  try {
    read(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).not.toContain('hunter2');
    return (error as Error).message;
  }
  throw new Error('it was accepted');
}

test('without settings there is no provider', () => {
  expect(read({})).toEqual([]);
});

test('the single one comes first, named after its host', () => {
  const providers = read({
    ...{ OIDC_ISSUER: 'https://accounts.google.com', OIDC_CLIENT_ID: 'b', OIDC_CLIENT_SECRET: 'c' },
    OIDC_PROVIDERS: JSON.stringify([ONE]),
  });
  expect(providers).toMatchObject([
    { id: 'default', name: 'accounts.google.com', clientId: 'b', scopes: 'openid email profile' },
    { id: 'acme', name: 'Acme', scopes: 'openid email profile' },
  ]);
  expect(providers[1]!.clientSecret!.reveal()).toBe('hunter2');
  expect(JSON.stringify(providers)).not.toContain('hunter2');
});

test.each(['http://localhost:9000', 'http://127.0.0.1:9000/realms/a', 'http://[::1]:9000'])(
  '%s may be http: it is on this machine',
  (issuer) => {
    expect(read({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'a' })).toMatchObject([{ issuer }]);
  },
);

test.each([
  'id.example.net',
  'http://id.example.net',
  'http://localhost.example.net',
  'http://127.0.0.1.example.net',
  'ftp://localhost',
  'https://user:hunter2@id.example.net',
  'https://id.example.net/?a=b',
  'https://id.example.net/#a',
  'https://login.microsoftonline.com/common/v2.0',
  'https://login.microsoftonline.com/organizations/v2.0',
])('%s is no issuer', (issuer) => {
  expect(messageFor({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'a' })).toContain('OIDC_ISSUER: must ');
});

test.each<[string, Record<string, string>, string]>([
  ['an issuer without a client', { OIDC_ISSUER: 'https://a.example' }, 'OIDC_CLIENT_ID is not set'],
  ['a client without an issuer', { OIDC_CLIENT_ID: 'a' }, 'OIDC_ISSUER is not set'],
  ['a secret without an issuer', { OIDC_CLIENT_SECRET: 'hunter2' }, 'OIDC_ISSUER is not set'],
  ['scopes without openid', { OIDC_SCOPES: 'email profile' }, 'OIDC_SCOPES: must have the scope openid'],
  ['no JSON', { OIDC_PROVIDERS: '[{"clientSecret":"hunter2"' }, 'OIDC_PROVIDERS: must be JSON'],
  ['no list', { OIDC_PROVIDERS: '{}' }, 'OIDC_PROVIDERS: '],
  [
    'a wrong member',
    { OIDC_PROVIDERS: JSON.stringify([{ ...ONE, issuer: 'x', id: 'A B' }]) },
    '0.issuer must be an https address',
  ],
  [
    'an unknown member',
    { OIDC_PROVIDERS: JSON.stringify([{ ...ONE, hunter: 'hunter2' }]) },
    'OIDC_PROVIDERS: ',
  ],
  [
    'one id twice',
    { OIDC_PROVIDERS: JSON.stringify([ONE, { ...ONE, issuer: 'https://b.example' }]) },
    'each id',
  ],
  ['one issuer twice', { OIDC_PROVIDERS: JSON.stringify([ONE, { ...ONE, id: 'b' }]) }, 'each issuer'],
  ['no domain', { OIDC_EMAIL_DOMAINS: '@example.net' }, 'OIDC_EMAIL_DOMAINS: '],
])('%s is reported', (_title, environment, message) => {
  expect(messageFor(environment)).toContain(message);
});
