/** Two queues of due comparisons: one for large and one for small comparisons. So a large comparison does not hold up small ones. */
import { oneInTurn } from '../../core/jobs/one-in-turn.ts';
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import { LARGE_LANE, SMALL_LANE } from '../sites/due-comparison.ts';
import { ComparisonThread } from './comparison-thread.ts';
import { type DueComparison, takeDueComparison } from './due-comparison-store.ts';
import { type WorkOnComparisonOptions, workOnComparison } from './work-on-comparison.ts';

const LANES = [
  { name: 'comparisons.small', lane: SMALL_LANE },
  { name: 'comparisons.large', lane: LARGE_LANE },
] as const;

/** Returns both queues. A queue runs one comparison at a time. The disposal of the scope ends the threads of the queues. */
export function comparisonQueues(
  options: WorkOnComparisonOptions,
  scope: AsyncDisposableStack,
): WorkQueue<DueComparison>[] {
  return LANES.map(({ name, lane }) => {
    const thread = scope.use(new ComparisonThread());
    return {
      name,
      atOnce: 1,
      take: oneInTurn((after) => takeDueComparison(options.database, { lane, after })),
      work: (due, signal) => workOnComparison(options, thread, due, signal),
    };
  });
}
