import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holdLease, holdLeases } from '../../../src/platform/postgres/hold-lease.ts';
import { LeaseLost } from '../../../src/platform/postgres/lease.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const QUARTER_MS = 1000;
const lengthMs = 4 * QUARTER_MS;
const pass = (quarters: number) => vi.advanceTimersByTimeAsync(quarters * QUARTER_MS);
const OUTAGE = new Error('an outage');

test('two renewals in a row may fail, and the third one aborts the work before the lease ends', async () => {
  const renew = vi.fn(async () => {});
  const failures: unknown[] = [];
  await using lease = holdLease({ lengthMs, renew, onFailure: (error) => void failures.push(error) });
  await pass(3);
  renew.mockRejectedValueOnce(OUTAGE).mockRejectedValueOnce(OUTAGE);
  await pass(5);
  expect(failures).toEqual([OUTAGE, OUTAGE]);
  expect(renew).toHaveBeenCalledTimes(8);
  renew.mockRejectedValue(OUTAGE);
  await pass(3);
  expect(lease.signal.aborted).toBe(false);
  await pass(0.9);
  expect(lease.signal.reason).toEqual(new LeaseLost('the lease could not be renewed'));
});

test('a renewal that hangs is the only one, and the work ends in time', async () => {
  const hung = Promise.withResolvers<void>();
  const renew = vi.fn(() => hung.promise);
  const lease = holdLease({ lengthMs, renew });
  await pass(3.9);
  expect(renew).toHaveBeenCalledTimes(1);
  expect(lease.signal.reason).toBeInstanceOf(LeaseLost);
  hung.resolve();
  await lease.release();
  expect(vi.getTimerCount()).toBe(0);
});

test('a renewal says that the lease is lost', async () => {
  const taken = new LeaseLost('another process has it');
  await using lease = holdLease({ lengthMs, renew: () => Promise.reject(taken) });
  await pass(1);
  expect(lease.signal.reason).toBe(taken);
});

test('one call renews all leases that are held', async () => {
  const renew = vi.fn(async (_held: readonly string[]) => {});
  const hold = holdLeases({ lengthMs, renew });
  const one = hold('one');
  await pass(0.5);
  const two = hold('two');
  await pass(1);
  await one.release();
  await pass(1);
  await two.release();
  await pass(10);
  expect(renew.mock.calls).toEqual([[['one', 'two']], [['two']]]);
});

test('a release waits for a renewal under way, which would take the lease again', async () => {
  const renewal = Promise.withResolvers<void>();
  const release = vi.fn(async () => {});
  const lease = holdLease({ lengthMs, renew: () => renewal.promise, release });
  await pass(1);
  const released = lease.release();
  await pass(1);
  expect(release).not.toHaveBeenCalled();
  renewal.resolve();
  await released;
  expect(release).toHaveBeenCalledOnce();
});

test('a release that fails fails nothing else', async () => {
  await holdLease({ lengthMs, renew: async () => {}, release: () => Promise.reject(OUTAGE) }).release();
});
