import { expect, test } from 'vitest';
import { withinBudget } from '../../src/features/uploads/url-budget.ts';
import { batchOf, plainEntries } from './batches.ts';

async function passed(
  counts: readonly number[],
  budget: number,
): Promise<{ passed: number; error: unknown }> {
  async function* batches() {
    let first = 0;
    for (const count of counts) {
      yield batchOf(plainEntries(count), first);
      first += count;
    }
  }
  let passed = 0;
  try {
    for await (const { ends } of withinBudget(batches(), budget)) passed += ends.length;
    return { passed, error: undefined };
  } catch (error) {
    return { passed, error };
  }
}

test('exactly the budget passes', async () => {
  expect(await passed([10, 10, 5], 25)).toEqual({ passed: 25, error: undefined });
});

test('one more is refused with its limit, after everything within the budget', async () => {
  expect(await passed([10, 10, 6], 25)).toMatchObject({
    passed: 25,
    error: { code: 'VALIDATION_ERROR', options: { details: { field: 'urls', limit: 25 } } },
  });
});

test('the part of a batch within the budget is a batch of its own', async () => {
  async function* batches() {
    yield batchOf(plainEntries(10), 5);
  }
  const within = withinBudget(batches(), 8);
  const { value } = await within.next();
  expect(value).toEqual(batchOf(plainEntries(3), 5));
  await expect(within.next()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
