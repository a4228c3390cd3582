/** The queues of due comparisons: a large one does not hold up small ones, and one of each is under way at a time. */
import type { WorkQueue } from '../jobs/start-working-off.ts';
import { ComparisonThread } from './comparison-thread.ts';
import { type DueComparison, takeDueComparison } from './due-comparison-store.ts';
import { type WorkOnComparisonOptions, workOnComparison } from './work-on-comparison.ts';

/** URLs of both uploads: a second at most. */
const SMALL_URLS = 1_000_000;

/** A comparison costs as much as an upload of 100 URLs. Of uploads that follow each other faster, the last is compared. */
const PAUSE_MS = 10_000;

const LANES = [
  { name: 'comparisons.small', minUrls: -1, maxUrls: SMALL_URLS },
  { name: 'comparisons.large', minUrls: SMALL_URLS, maxUrls: null },
] as const;

/** Work each of them off one at a time. The scope ends their threads. */
export function comparisonQueues(
  options: WorkOnComparisonOptions,
  scope: AsyncDisposableStack,
): WorkQueue<DueComparison>[] {
  return LANES.map(({ name, minUrls, maxUrls }) => {
    const thread = scope.use(new ComparisonThread());
    // Any account may be the first.
    let after = '';
    return {
      name,
      async take() {
        const due = await takeDueComparison(options.database, {
          ...{ after, minUrls, maxUrls },
          pauseMs: PAUSE_MS,
        });
        if (due === undefined) return [];
        after = due.accountId;
        return [due];
      },
      work: (due, signal) => workOnComparison(options, thread, due, signal),
    };
  });
}
