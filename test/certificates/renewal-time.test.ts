import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  firstRenewalTime,
  nextAriCheck,
  nextRenewalTime,
  renewalTime,
} from '../../src/features/certificates/renewal-time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const T0 = Date.parse('2026-01-01T00:00:00Z');
const at = (ms: number) => new Date(T0 + ms);
const lifetime = { notBefore: at(0), notAfter: at(45 * DAY_MS) };
const windowOf = (start: number, end: number) => ({ start: at(start), end: at(end), askAgainMs: HOUR_MS });
const random = fc.double({ min: 0, max: 1, noNaN: true });
const time = fc.integer({ min: -100 * DAY_MS, max: 100 * DAY_MS });
const days = (date: Date) => (date.getTime() - T0) / DAY_MS;

test('without a window a certificate is renewed after two thirds of its lifetime, a short one after half', () => {
  expect(days(renewalTime(lifetime, undefined, 0.5))).toBe(30);
  expect(days(renewalTime({ ...lifetime, notAfter: at(6 * DAY_MS) }, undefined, 0.5))).toBe(3);
});

/** The most that any of ten equal parts has. */
function fullest(times: readonly number[], from: number, to: number): number {
  const parts = new Array<number>(10).fill(0);
  for (const one of times) parts[Math.min(9, Math.floor((10 * (one - from)) / (to - from)))]! += 1;
  return Math.max(...parts);
}

test('1,000 certificates are spread evenly over their window, or over 2 % of the lifetime without one', () => {
  const numbers = Array.from({ length: 1000 }, (_, i) => i / 999);
  const inWindow = numbers.map((n) => renewalTime(lifetime, windowOf(29 * DAY_MS, 31 * DAY_MS), n).getTime());
  expect(fullest(inWindow, T0 + 29 * DAY_MS, T0 + 31 * DAY_MS)).toBeLessThanOrEqual(101);
  const without = numbers.map((n) => renewalTime(lifetime, undefined, n).getTime());
  expect(fullest(without, T0 + 29.55 * DAY_MS, T0 + 30.45 * DAY_MS)).toBeLessThanOrEqual(102);
  // Only the part of a long window that leaves time before the expiry counts.
  const long = numbers.map((n) => renewalTime(lifetime, windowOf(30 * DAY_MS, 90 * DAY_MS), n).getTime());
  expect(fullest(long, T0 + 30 * DAY_MS, T0 + 40.5 * DAY_MS)).toBeLessThanOrEqual(101);
});

test('a time is inside its window, and leaves a tenth of the lifetime', () => {
  fc.assert(
    fc.property(time, time, random, (a, b, n) => {
      const [start, end] = [Math.min(a, b), Math.max(a, b)];
      const chosen = renewalTime(lifetime, windowOf(start, end), n).getTime() - T0;
      expect(chosen).toBeLessThanOrEqual(40.5 * DAY_MS);
      if (start < 40.5 * DAY_MS) {
        expect(chosen).toBeGreaterThanOrEqual(start);
        expect(chosen).toBeLessThanOrEqual(end);
      } else expect(chosen).toBe(renewalTime(lifetime, undefined, n).getTime() - T0);
    }),
  );
});

test('a window in the past means now, except for a certificate that was just issued', () => {
  const past = windowOf(-2 * DAY_MS, -DAY_MS);
  fc.assert(
    fc.property(random, (n) => {
      expect(days(renewalTime(lifetime, past, n))).toBeLessThanOrEqual(-1);
      expect(days(firstRenewalTime(lifetime, past, n))).toBe(4.5);
    }),
  );
  const usual = windowOf(29 * DAY_MS, 31 * DAY_MS);
  expect(firstRenewalTime(lifetime, usual, 0.3)).toEqual(renewalTime(lifetime, usual, 0.3));
});

test('a new window moves a renewal to come, and none that is due, as after an attempt that failed', () => {
  const certificate = { ...lifetime, renewAt: at(10 * DAY_MS) };
  const next = (window: Parameters<typeof nextRenewalTime>[1], now: number) =>
    days(nextRenewalTime(certificate, window, at(now), 0));
  const later = windowOf(29 * DAY_MS, 31 * DAY_MS);
  expect(next(later, 9 * DAY_MS)).toBe(29);
  expect(next(later, 10 * DAY_MS)).toBe(10);
  expect(next(windowOf(5 * DAY_MS, 11 * DAY_MS), 9 * DAY_MS)).toBe(10);
  expect(next(undefined, 9 * DAY_MS)).toBe(10);
});

test('an authority that does not say when is asked again after 12 hours', () => {
  expect(nextAriCheck(at(0), undefined)).toEqual(at(12 * HOUR_MS));
  expect(nextAriCheck(at(0), windowOf(0, 1))).toEqual(at(HOUR_MS));
});
