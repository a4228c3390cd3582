/** The keys that a pattern means. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bucketAddress,
  matcherOf,
  parseBucketAddress,
  prefixOf,
} from '../../../src/features/uploads/loads/bucket-address.ts';

const matches = (pattern: string, key: string) => matcherOf({ bucket: 'b', key: pattern })(key);

test('an address has a bucket, and a key as it stands', () => {
  expect(bucketAddress('s3://b/a b/%20?#/*.csv')).toEqual({ bucket: 'b', key: 'a b/%20?#/*.csv' });
  expect(bucketAddress('https://b/k')).toBeUndefined();
  expect(prefixOf(bucketAddress('s3://b/2026/**/part-*.csv')!)).toBe('2026/');
});

test.each([
  's3://b',
  's3://b/',
  's3:///k',
  's3://b/a\0.csv',
  `s3://b/${'k'.repeat(1025)}`,
  `s3://b/${'*a'.repeat(11)}`,
])('%s is refused', (url) => {
  expect(() => parseBucketAddress(url)).toThrow(/^sources: /);
});

describe('a pattern', () => {
  test.each<[string, string, boolean]>([
    ['p/*.csv', 'p/a.csv', true],
    ['p/*.csv', 'p/.csv', false],
    ['p/*.csv', 'p/q/a.csv', false],
    ['p/**.csv', 'p/q/a.csv', true],
    ['p/**/a.csv', 'p/q/r/a.csv', true],
    ['p/**/a.csv', 'p/a.csv', false],
    ['p/*', 'p/_SUCCESS', false],
    ['p/**', 'p/_temporary/0/a.csv', false],
    ['p/**', 'p/.hidden/a.csv', false],
    ['_p/*', '_p/a.csv', true],
    ['p/_*', 'p/_a.csv', true],
    ['*a*a*', 'banana', true],
    ['*a*b', 'banana', false],
    ['p/a.csv', 'p/a.csv', true],
    ['p/a.csv', 'p/a.csv.gz', false],
    ['*', '', true],
  ])('%s and %s: %s', (pattern, key, is) => {
    expect(matches(pattern, key)).toBe(is);
  });

  test('means what a regular expression of it means', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 });
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 });
    fc.assert(
      fc.property(patterns, texts, (pattern, key) => {
        const source = pattern.replaceAll(/\*+/g, (stars) => (stars.length > 1 ? '.*' : '[^/]*'));
        expect(matches(pattern, key)).toBe(new RegExp(`^${source}$`).test(key));
      }),
    );
  });

  test('takes no longer for a hostile key', () => {
    expect(matches('*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(1024))).toBe(false);
  });
});
