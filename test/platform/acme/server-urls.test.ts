import { expect, test } from 'vitest';
import { ownUrl } from '../../../src/platform/acme/server-urls.ts';

const DIRECTORY = 'https://acme.example:8443/dir';

test.each([DIRECTORY, 'https://acme.example:8443/order/1?x=y', 'https://ACME.example:8443/'])(
  '%s is its own',
  (address) => {
    expect(ownUrl(DIRECTORY, address)?.host).toBe('acme.example:8443');
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
  expect(ownUrl(DIRECTORY, address)).toBeUndefined();
});

test('the default port may be named', () => {
  expect(ownUrl('https://acme.example/dir', 'https://acme.example:443/order')).toBeDefined();
});
