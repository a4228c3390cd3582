import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { repeat } from '../../../src/platform/concurrency/repeat.ts';

test('stop waits for the work under way, and none begins after it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const ends: PromiseWithResolvers<void>[] = [];
  const repetition = repeat(() => {
    ends.push(Promise.withResolvers());
    return ends.at(-1)!.promise;
  }, 1000);
  expect(ends).toHaveLength(0);
  vi.advanceTimersByTime(2000);
  expect(ends).toHaveLength(2);
  ends[0]!.resolve();
  let isStopped = false;
  const stopped = repetition.stop().then(() => {
    isStopped = true;
  });
  vi.advanceTimersByTime(5000);
  await setImmediate();
  expect([ends.length, isStopped]).toEqual([2, false]);
  ends[1]!.resolve();
  await stopped;
  vi.useRealTimers();
});
