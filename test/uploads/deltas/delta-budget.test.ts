import { expect, test } from 'vitest';
import { DELTA_BUDGET } from '../../../src/features/uploads/deltas/read-delta.ts';
import { HoldBudget } from '../../../src/features/uploads/hold-budget.ts';

const MiB = 1024 * 1024;

test('the first account gets the bytes of the largest delta, and many with large deltas leave room for rows', () => {
  const budget = new HoldBudget(DELTA_BUDGET);
  const takenBy = (account: string) => {
    const held = budget.open(account);
    let taken = 0;
    while (held.take(MiB)) taken++;
    return taken;
  };
  expect(takenBy('first')).toBe(64);
  for (const account of ['second', 'third', 'fourth', 'fifth', 'sixth']) takenBy(account);
  expect(budget.open('seventh').take(MiB)).toBe(true);
});
