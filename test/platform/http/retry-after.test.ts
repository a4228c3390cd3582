import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../src/platform/http/retry-after.ts';

const NOW = Date.parse('1994-11-06T08:49:00Z');
const DAY_MS = 86_400_000;

test.each([
  ['0', 0],
  ['3600', 3_600_000],
  ['9999999999', DAY_MS],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
  ['Sun, 06 Nov 1994 08:48:00 GMT', 0],
  ['Sun, 06 Nov 2094 08:48:00 GMT', DAY_MS],
  ['60.5', 60_500],
  ['0.0001', 1],
  ['soon', undefined],
  ['-5', undefined],
  ['60;', undefined],
  ['1.5.2', undefined],
  ['', undefined],
  [undefined, undefined],
])('%j means %j', (field, ms) => {
  expect(retryAfterMs(field, NOW)).toBe(ms);
});
