import { expect, test } from 'vitest';
import { retryDelayMs } from '../../src/features/webhooks/retry-schedule.ts';

const HOUR_MS = 3_600_000;

test('ten attempts, later and later, over three days', () => {
  const delays = Array.from({ length: 10 }, (_, i) => retryDelayMs(i + 1, { random: 0.5 }));
  expect(delays.map((ms) => ms && ms / 1000)).toEqual([
    ...[5, 300, 1800],
    ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 3600),
    undefined,
  ]);
});

test('a tenth of jitter, to both sides', () => {
  expect(retryDelayMs(2, { random: 0 })).toBe(270_000);
  expect(retryDelayMs(2, { random: 1 })).toBe(330_000);
});

test('Retry-After makes it later, never sooner, and by a day at most', () => {
  expect(retryDelayMs(1, { random: 0.5, retryAfterMs: 60_000 })).toBe(60_000);
  expect(retryDelayMs(3, { random: 0.5, retryAfterMs: 60_000 })).toBe(1_800_000);
  expect(retryDelayMs(1, { random: 0.5, retryAfterMs: 1000 * HOUR_MS })).toBe(24 * HOUR_MS);
  expect(retryDelayMs(10, { random: 0.5, retryAfterMs: 60_000 })).toBeUndefined();
});
