import { expect, test } from 'vitest';
import { AccountKey } from '../../../src/platform/acme/account-key.ts';
import { AcmeSession } from '../../../src/platform/acme/acme-session.ts';
import { newAccountKey } from './issue.ts';

const DIRECTORY = 'https://acme.example:8443/dir';
const accountKey = new AccountKey(newAccountKey());

function ownUrl(directoryUrl: string, address: string): URL {
  using session = new AcmeSession({ directoryUrl, accountKey, userAgent: 'waypost-test', timeoutMs: 1 });
  return session.ownUrl(address, 'read an order');
}

test.each([DIRECTORY, 'https://acme.example:8443/order/1?x=y', 'https://ACME.example:8443/'])(
  '%s is its own',
  (address) => {
    expect(ownUrl(DIRECTORY, address).host).toBe('acme.example:8443');
  },
);

test.each([
  'http://acme.example:8443/order',
  'https://acme.example/order',
  'https://acme.example:8444/order',
  'https://acme.example.evil.example:8443/',
  'https://acme.example:8443@evil.example/',
  'https://user@acme.example:8443/',
  'https://127.0.0.1:8443/',
  '//evil.example:8443/',
  'file:///etc/passwd',
  'https://',
  `https://acme.example:8443/${'x'.repeat(2048)}`,
])('%s is not', (address) => {
  expect(() => ownUrl(DIRECTORY, address)).toThrow('the server names an address that is not its own');
});

test('the default port may be named', () => {
  expect(ownUrl('https://acme.example/dir', 'https://acme.example:443/order')).toBeDefined();
});
