import { expect, test } from 'vitest';
import { recentResult } from '../../../src/platform/concurrency/recent-result.ts';

function counted(restFactor = 0) {
  const clock = { now: 0 };
  const calls: PromiseWithResolvers<number>[] = [];
  const ask = recentResult(
    () => {
      const call = Promise.withResolvers<number>();
      calls.push(call);
      return call.promise;
    },
    { forMs: 1000, restFactor, now: () => clock.now },
  );
  return { ask, calls, clock };
}

test('callers within the time share one call, and a later caller starts the next', async () => {
  const { ask, calls, clock } = counted();
  const first = ask();
  calls[0]!.resolve(1);
  expect(await first).toBe(1);
  clock.now = 999;
  expect(await ask()).toBe(1);
  expect(calls).toHaveLength(1);
  clock.now = 1000;
  const second = ask();
  calls[1]!.resolve(2);
  expect(await second).toBe(2);
});

test('a call that takes longer than the time is not repeated before it ends', async () => {
  const { ask, calls, clock } = counted();
  const first = ask();
  clock.now = 5000;
  const second = ask();
  expect(calls).toHaveLength(1);
  calls[0]!.resolve(1);
  expect(await Promise.all([first, second])).toEqual([1, 1]);
  void ask();
  expect(calls).toHaveLength(2);
});

test('a failure is shared too', async () => {
  const { ask, calls } = counted();
  const answers = [ask(), ask()];
  calls[0]!.reject(new Error('down'));
  for (const answer of answers) await expect(answer).rejects.toThrow('down');
  await expect(ask()).rejects.toThrow('down');
  expect(calls).toHaveLength(1);
});

test('a slow call rests for some times its duration', async () => {
  const { ask, calls, clock } = counted(20);
  const first = ask();
  clock.now = 300;
  calls[0]!.resolve(1);
  await first;
  clock.now = 5999;
  await ask();
  expect(calls).toHaveLength(1);
  clock.now = 6000;
  void ask();
  expect(calls).toHaveLength(2);
});
