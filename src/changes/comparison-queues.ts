/** The queues of due comparisons: a large one does not hold up small ones, and one of each is under way at a time. */
import type { WorkQueue } from '../jobs/start-working-off.ts';
import { LARGE_LANE, SMALL_LANE } from '../sites/due-comparison.ts';
import { ComparisonThread } from './comparison-thread.ts';
import { type DueComparison, takeDueComparison } from './due-comparison-store.ts';
import { type WorkOnComparisonOptions, workOnComparison } from './work-on-comparison.ts';

const LANES = [
  { name: 'comparisons.small', lane: SMALL_LANE },
  { name: 'comparisons.large', lane: LARGE_LANE },
] as const;

/** Work each of them off one at a time. The scope ends their threads. */
export function comparisonQueues(
  options: WorkOnComparisonOptions,
  scope: AsyncDisposableStack,
): WorkQueue<DueComparison>[] {
  return LANES.map(({ name, lane }) => {
    const thread = scope.use(new ComparisonThread());
    // Any account may be the first.
    let after = '';
    return {
      name,
      async take() {
        const due = await takeDueComparison(options.database, { lane, after });
        if (due === undefined) return [];
        after = due.accountId;
        return [due];
      },
      work: (due, signal) => workOnComparison(options, thread, due, signal),
    };
  });
}
