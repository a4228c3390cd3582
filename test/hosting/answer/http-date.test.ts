import { expect, test } from 'vitest';
import { parseHttpDate } from '../../../src/edges/hosting/answer/preconditions.ts';

const TIME = Date.parse('1994-11-06T08:49:37Z');

test.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
  '%s is read',
  (text) => {
    expect(parseHttpDate(text)).toBe(TIME);
  },
);

test.each([
  undefined,
  '',
  '0',
  '784111777',
  '1994-11-06T08:49:37Z',
  'Sun, 06 Nov 1994 08:49:37 +0000',
  'Sun, 06 Nov 1994 08:49:37',
  'Sun, 06 Now 1994 08:49:37 GMT',
  'sun, 06 nov 1994 08:49:37 gmt',
])('%s is not an HTTP date', (text) => {
  expect(parseHttpDate(text)).toBeUndefined();
});
