import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UsedLately } from '../../../src/platform/concurrency/used-lately.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a thing stays while it is in use and for some time after, and each use begins that time anew', async () => {
  const things = new UsedLately<{ n: number }>(1000);
  let made = 0;
  const use = (work: () => Promise<unknown> = async () => {}) =>
    things.use(
      'key',
      () => ({ n: ++made }),
      async ({ n }) => {
        await work();
        return n;
      },
    );
  const end = Promise.withResolvers<void>();
  const long = use(() => end.promise);
  expect(await use()).toBe(1);
  await vi.advanceTimersByTimeAsync(5000);
  end.resolve();
  expect(await long).toBe(1);
  await vi.advanceTimersByTimeAsync(999);
  await expect(use(() => Promise.reject(new Error('it fails')))).rejects.toThrow('it fails');
  await vi.advanceTimersByTimeAsync(999);
  expect(await use()).toBe(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await use()).toBe(2);
});
