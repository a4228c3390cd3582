import { expect, test } from 'vitest';
import { StoreUnavailable } from '../../src/hosting/guarded-storage.ts';
import { LookUpBudget } from '../../src/hosting/look-up-budget.ts';

function budgetOf(missesPerSecond: number) {
  const clock = { now: 5_000 };
  let refused = 0;
  const budget = new LookUpBudget({
    missesPerSecond,
    now: () => clock.now,
    onRefused: () => {
      refused += 1;
    },
  });
  return { budget, clock, refused: () => refused };
}
const miss = async () => undefined;
const find = async () => 'site';

test('so many look-ups that find nothing are made in one second, and then none before the next', async () => {
  const { budget, clock, refused } = budgetOf(3);
  for (const _ of [1, 2, 3]) expect(await budget.spend(miss)).toBeUndefined();
  await expect(budget.spend(find)).rejects.toThrow(StoreUnavailable);
  clock.now += 999;
  await expect(budget.spend(find)).rejects.toThrow(StoreUnavailable);
  expect(refused()).toBe(2);
  clock.now += 1;
  expect(await budget.spend(find)).toBe('site');
});

test('look-ups that find a site cost nothing', async () => {
  const { budget } = budgetOf(1);
  for (const _ of [1, 2, 3]) expect(await budget.spend(find)).toBe('site');
  expect(await budget.spend(miss)).toBeUndefined();
});

test('one that fails is neither, and gives its place back', async () => {
  const { budget } = budgetOf(1);
  for (let i = 0; i < 2_000; i += 1) {
    await expect(budget.spend(() => Promise.reject(new Error('down')))).rejects.toThrow('down');
  }
  expect(await budget.spend(find)).toBe('site');
});

test('in the seconds of a flood, look-ups under way count as if they had found nothing', async () => {
  const { budget, clock } = budgetOf(2);
  const begun = () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const spent = budget.spend(() => promise).catch((error: Error) => error);
    return { spent, end: () => resolve(undefined) };
  };
  const first = [begun(), begun(), begun()];
  for (const { spent, end } of first) {
    end();
    expect(await spent).toBeUndefined();
  }
  clock.now += 1_000;
  const second = [begun(), begun(), begun()];
  expect(await second[2]?.spent).toBeInstanceOf(StoreUnavailable);
  for (const { end } of second) end();
  await Promise.all(second.map(({ spent }) => spent));

  // A second without any is the end of it.
  clock.now += 2_000;
  const third = [begun(), begun(), begun()];
  for (const { spent, end } of third) {
    end();
    expect(await spent).toBeUndefined();
  }
});
