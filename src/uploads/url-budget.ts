/** Holds an upload to the number of URLs that its plan allows. */
import { Refusal } from '../platform/refusal.ts';
import type { Batch } from './fragment.ts';

/** Passes the batches on; refuses before the one that passes the budget is rendered. */
export async function* withinBudget(
  batches: AsyncIterable<Batch>,
  budget: number,
): AsyncGenerator<Batch, void, undefined> {
  for await (const batch of batches) {
    if (batch.firstIndex + batch.ends.length > budget) throw overBudget(budget);
    yield batch;
  }
}

function overBudget(budget: number): Refusal {
  const limit = budget.toLocaleString('en-US');
  return new Refusal('VALIDATION_ERROR', `urls: must hold at most ${limit} URLs, the budget of the plan`, {
    details: { field: 'urls', value: null, limit: budget },
  });
}
