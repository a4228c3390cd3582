import { expect, test } from 'vitest';
import { chooseEncoding } from '../../../src/edges/hosting/answer/accept-encoding.ts';

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip, deflate, br', 'gzip'],
  ['br', 'identity'],
  ['*', 'gzip'],
  ['*;q=0.1', 'gzip'],
  ['gzip;q=0.001', 'gzip'],
  ['gzip ; q=0.5 , identity ; q=0.4', 'gzip'],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['gzip;q=0.4, identity;q=0.5', 'identity'],
  ['identity', 'identity'],
  ['gzip;q=0', 'identity'],
  ['gzip;q=0, *', 'identity'],
  ['gzip;q=0.000', 'identity'],
  ['identity;q=0, gzip', 'gzip'],
  ['identity;q=0, *;q=0.3', 'gzip'],
  ['*;q=0, gzip', 'gzip'],
  ['*;q=0, identity', 'identity'],
  ['identity;q=0', undefined],
  ['*;q=0', undefined],
  ['gzip;q=0, identity;q=0', undefined],
  ['gzip;q=2', 'identity'],
  ['gzip;q=0.1234', 'identity'],
  ['gzip;level=9', 'identity'],
  ['(;=, gzip', 'gzip'],
] as const)('Accept-Encoding: %s → %s', (header, encoding) => {
  expect(chooseEncoding(header)).toBe(encoding);
});
