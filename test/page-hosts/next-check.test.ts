import { expect, test } from 'vitest';
import { nextCheckInMs } from '../../src/features/page-hosts/next-check.ts';
import { PAGE_HOST_STATES } from '../../src/features/page-hosts/page-host.ts';

const HOUR_MS = 3_600_000;

test('found is checked about daily', () => {
  for (const random of [0, 0.5, 0.99]) {
    const hours = nextCheckInMs('found', 0, random) / HOUR_MS;
    expect(hours).toBeGreaterThanOrEqual(18);
    expect(hours).toBeLessThanOrEqual(30);
  }
});

test.each(PAGE_HOST_STATES.filter((state) => state !== 'found'))(
  '%s is checked about hourly on its first day, then daily',
  (state) => {
    expect(nextCheckInMs(state, 0, 0.5)).toBe(HOUR_MS);
    expect(nextCheckInMs(state, 23.9 * HOUR_MS, 0.5)).toBe(HOUR_MS);
    expect(nextCheckInMs(state, 24 * HOUR_MS, 0.5)).toBe(24 * HOUR_MS);
  },
);
