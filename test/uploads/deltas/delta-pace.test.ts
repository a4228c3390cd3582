import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DeltaPace } from '../../../src/features/uploads/deltas/delta-pace.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Whether the pace lets the next group begin at once. */
async function isFree(pace: DeltaPace): Promise<boolean> {
  let isOver = false;
  void pace.wait().then(() => {
    isOver = true;
  });
  await Promise.resolve();
  return isOver;
}

test('within its bytes, no delta waits; beyond them, at most ten seconds', async () => {
  const pace = new DeltaPace(1000);
  pace.wrote(1000);
  expect(await isFree(pace)).toBe(true);
  pace.wrote(1);
  expect(await isFree(pace)).toBe(false);
  const waiting = pace.wait();
  await vi.advanceTimersByTimeAsync(10_100);
  await waiting;
  await vi.advanceTimersByTimeAsync(50_000);
  expect(await isFree(pace)).toBe(true);
});
