import { expect, test } from 'vitest';
import { checkDelayMs, requestDelayMs } from '../../src/features/submission/retry-times.ts';

const MINUTE_MS = 60_000;
const failures = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2000];

test('checks of key files come after 1, 5, 15 minutes, 1, 6 and 24 hours, and then daily', () => {
  expect(failures.map((n) => checkDelayMs(n, 0.5) / MINUTE_MS)).toEqual([
    ...[1, 5, 15, 60, 360, 1440, 1440, 1440, 1440, 1440, 1440],
  ]);
});

test('requests are tried again after 1, 2, 4 … minutes, up to 6 hours', () => {
  expect(failures.map((n) => requestDelayMs(n, 0.5, undefined) / MINUTE_MS)).toEqual([
    ...[1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360],
  ]);
});

test('the time that the endpoint asks for counts, from a minute on', () => {
  expect(requestDelayMs(5, 0.5, 3_600_000)).toBe(3_600_000);
  expect(requestDelayMs(5, 0.5, 0)).toBe(MINUTE_MS);
});

test('chance spreads them by a tenth', () => {
  expect([0, 1].map((random) => checkDelayMs(1, random))).toEqual([54_000, 66_000]);
  expect([0, 1].map((random) => requestDelayMs(1, random, undefined))).toEqual([54_000, 66_000]);
});
