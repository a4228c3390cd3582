import { expect, test } from 'vitest';
import { isApiKey, lastFourOf, newApiKey, prefixOf } from '../../src/features/accounts/api-key.ts';
import { hashToken } from '../../src/features/accounts/secret-token.ts';

test('a key is sk_live_ and 32 letters and digits, and never the same', () => {
  const keys = Array.from({ length: 1000 }, newApiKey);
  for (const key of keys) {
    expect(key).toMatch(/^sk_live_[0-9A-Za-z]{32}$/);
    expect(key).toHaveLength(40);
    expect(isApiKey(key)).toBe(true);
  }
  expect(new Set(keys).size).toBe(keys.length);
});

test.each([
  '',
  'sk_live_',
  `sk_live_${'a'.repeat(31)}`,
  `sk_live_${'a'.repeat(33)}`,
  `SK_LIVE_${'a'.repeat(32)}`,
  `sk_test_${'a'.repeat(32)}`,
  `sk_live_${'a'.repeat(31)}-`,
  `sk_live_${'a'.repeat(31)}é`,
  `sk_live_${'a'.repeat(32)}\n`,
  ` sk_live_${'a'.repeat(32)}`,
])('%j is not a key', (text) => {
  expect(isApiKey(text)).toBe(false);
});

test('a list shows the first 8 characters and the last 4', () => {
  expect(prefixOf(newApiKey())).toBe('sk_live_');
  expect(lastFourOf(`sk_live_${'a'.repeat(28)}wxYZ`)).toBe('wxYZ');
});

test('the hash is SHA-256', () => {
  // FIPS 180-2, appendix B.1.
  expect(hashToken('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
