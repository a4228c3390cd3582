/** Limits an upload to the number of URLs that the plan allows. */

import { invalidField, type Refusal } from '../../platform/refusal.ts';
import { counted } from '../../platform/words.ts';
import type { Batch, RenderedFragment } from './fragment.ts';

/**
 * Renders at most `budget` entries. With `isFiltered`, only rendered entries count. Throws Refusal after it has yielded the fragments
 * within the budget.
 */
export function renderWithinBudget(
  batches: AsyncIterable<Batch>,
  budget: number,
  isFiltered: boolean,
  render: (batches: AsyncIterable<Batch>) => AsyncIterable<RenderedFragment>,
): AsyncIterable<RenderedFragment> {
  return isFiltered ? fragmentsWithinBudget(render(batches), budget) : render(withinBudget(batches, budget));
}

/** Yields the entries within the budget before it throws a Refusal, so a fault within the budget is reported first. */
export async function* withinBudget(
  batches: AsyncIterable<Batch>,
  budget: number,
): AsyncGenerator<Batch, void, undefined> {
  for await (const batch of batches) {
    const left = budget - batch.firstIndex;
    if (batch.ends.length > left) {
      if (left > 0) yield firstEntries(batch, left);
      throw overBudget(budget);
    }
    yield batch;
  }
}

/** Counts entries when they are rendered, because only then it is known how many a condition leaves out. */
async function* fragmentsWithinBudget(
  fragments: AsyncIterable<RenderedFragment>,
  budget: number,
): AsyncGenerator<RenderedFragment, void, undefined> {
  let entries = 0;
  for await (const fragment of fragments) {
    entries += fragment.entries;
    if (entries > budget) throw overBudget(budget);
    yield fragment;
  }
}

function firstEntries({ bytes, ends, ...rest }: Batch, count: number): Batch {
  return { ...rest, bytes: bytes.slice(0, ends[count - 1]), ends: ends.slice(0, count) };
}

export function overBudget(budget: number): Refusal {
  const message = `must hold at most ${counted(budget)} URLs, the limit of the plan`;
  return invalidField('urls', null, message, { limit: budget });
}
