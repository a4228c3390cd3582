/** The queue of uploads whose URLs are due to be indexed. It takes one upload at a time, the longest due first. */
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import { LeaseLost } from '../../platform/postgres/lease.ts';
import { type DueIndex, giveIndexBack, takeDueIndex } from './index-store.ts';
import { IndexThread } from './index-thread.ts';
import { type MakeIndexesOptions, makeIndexes } from './make-indexes.ts';

/** The pause after a look that found no due upload. No request waits for an index, because look-ups can read the files. */
const POLL_MS = 2000;

/** The disposal of the scope ends the thread of the queue. */
export function createIndexQueue(
  options: Omit<MakeIndexesOptions, 'thread'>,
  scope: AsyncDisposableStack,
): WorkQueue<DueIndex> {
  const thread = scope.use(new IndexThread());
  return {
    name: 'urls.index',
    atOnce: 1,
    pollMs: POLL_MS,
    take: () => takeDueIndex(options.database),
    /** Makes the indexes of an upload. After an outage, the upload is due again when its lease ends. */
    async work(due, signal) {
      try {
        await makeIndexes({ ...options, thread }, due, signal);
      } catch (error) {
        if (error instanceof LeaseLost) return;
        if (!signal.aborted) throw error;
        await giveIndexBack(options.database, due);
      }
    },
  };
}
