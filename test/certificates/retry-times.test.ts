import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  FAILURES_UNTIL_FAILED,
  isGivenUp,
  outageDelayMs,
  retryDelayMs,
} from '../../src/features/certificates/retry-times.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const random = fc.double({ min: 0, max: 1, noNaN: true });

test('attempts come after 1, 10 and 100 minutes, then daily; the fourth failure comes about 2 hours after the first', () => {
  const delays = [1, 2, 3, 4, 5, 100].map((failures) => retryDelayMs(failures, 0.5) / MINUTE_MS);
  expect(delays).toEqual([1, 10, 100, 1440, 1440, 1440]);
  expect(FAILURES_UNTIL_FAILED).toBe(4);
});

test('a delay is within a tenth of its time, and any two random numbers spread attempts', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), random, (failures, at) => {
      const middle = retryDelayMs(failures, 0.5);
      const delay = retryDelayMs(failures, at);
      expect(Math.abs(delay - middle)).toBeLessThanOrEqual(middle / 10 + 1);
    }),
  );
  expect(retryDelayMs(1, 0)).toBeLessThan(retryDelayMs(1, 1));
});

test('after an outage an attempt comes after 5 minutes, and never before the authority allows', () => {
  expect(outageDelayMs(0, 0.5)).toBe(5 * MINUTE_MS);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: DAY_MS }), random, (retryAfterMs, at) => {
      expect(outageDelayMs(retryAfterMs, at)).toBeGreaterThanOrEqual(Math.max(retryAfterMs, 4.5 * MINUTE_MS));
    }),
  );
});

test('attempts end after 7 days of failure', () => {
  const since = new Date('2026-01-01T00:00:00Z');
  const after = (ms: number) => new Date(since.getTime() + ms);
  expect(isGivenUp(null, after(0))).toBe(false);
  expect(isGivenUp(since, after(7 * DAY_MS - 1))).toBe(false);
  expect(isGivenUp(since, after(7 * DAY_MS))).toBe(true);
});
