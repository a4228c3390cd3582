import { expect, test } from 'vitest';
import { Busy } from '../../../src/edges/hosting/bodies/busy.ts';
import { LookUpBudget } from '../../../src/edges/hosting/lookup/look-up-budget.ts';

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

test('only so many look-ups without a result are made in one second, and then none until the next', async () => {
  const { budget, clock, refused } = budgetOf(3);
  for (const _ of [1, 2, 3]) expect(await budget.spend(undefined, miss)).toBeUndefined();
  await expect(budget.spend(undefined, find)).rejects.toThrow(Busy);
  clock.now += 999;
  await expect(budget.spend(undefined, find)).rejects.toThrow(Busy);
  expect(refused()).toBe(2);
  clock.now += 1;
  expect(await budget.spend(undefined, find)).toBe('site');
});

test('look-ups that find a site cost nothing', async () => {
  const { budget } = budgetOf(1);
  for (const _ of [1, 2, 3]) expect(await budget.spend(undefined, find)).toBe('site');
  expect(await budget.spend(undefined, miss)).toBeUndefined();
});

test('a failed look-up counts as neither, and gives its place back', async () => {
  const { budget } = budgetOf(1);
  for (let i = 0; i < 2_000; i += 1) {
    await expect(budget.spend(undefined, () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  }
  expect(await budget.spend(undefined, find)).toBe('site');
});

test('during a flood, look-ups under way count as if they had found nothing', async () => {
  const { budget, clock } = budgetOf(2);
  const begun = () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const spent = budget.spend(undefined, () => promise).catch((error: Error) => error);
    return { spent, end: () => resolve(undefined) };
  };
  const first = [begun(), begun(), begun()];
  for (const { spent, end } of first) {
    end();
    expect(await spent).toBeUndefined();
  }
  clock.now += 1_000;
  const second = [begun(), begun(), begun()];
  expect(await second[2]?.spent).toBeInstanceOf(Busy);
  for (const { end } of second) end();
  await Promise.all(second.map(({ spent }) => spent));

  // A second without any look-up ends the flood.
  clock.now += 2_000;
  const third = [begun(), begun(), begun()];
  for (const { spent, end } of third) {
    end();
    expect(await spent).toBeUndefined();
  }
});

test('one client has a tenth of the budget, and others have the rest', async () => {
  const { budget, clock } = budgetOf(20);
  for (const _ of [1, 2]) expect(await budget.spend('192.0.2.1', miss)).toBeUndefined();
  await expect(budget.spend('192.0.2.1', find)).rejects.toThrow(Busy);
  expect(await budget.spend('192.0.2.2', find)).toBe('site');
  for (const _ of [1, 2]) expect(await budget.spend('192.0.2.2', miss)).toBeUndefined();
  clock.now += 1_000;
  expect(await budget.spend('192.0.2.1', find)).toBe('site');
});
