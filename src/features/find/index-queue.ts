/** The queue of sitemaps whose URLs are to be indexed: one at a time, the longest due first. */
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import { LeaseLost } from '../../platform/postgres/lease.ts';
import { type DueIndex, giveIndexBack, takeDueIndex } from './index-store.ts';
import { type MakeIndexesOptions, makeIndexes } from './make-indexes.ts';

/** No request waits for an index: until it is there, look-ups read the files. */
const POLL_MS = 2000;

export function createIndexQueue(options: MakeIndexesOptions): WorkQueue<DueIndex> {
  return {
    name: 'urls.index',
    atOnce: 1,
    pollMs: POLL_MS,
    async take() {
      const due = await takeDueIndex(options.database);
      return due === undefined ? [] : [due];
    },
    /** Makes the indexes of an upload. After an outage, the upload is due again when its lease ends. */
    async work(due, signal) {
      try {
        await makeIndexes(options, due, signal);
      } catch (error) {
        if (error instanceof LeaseLost) return;
        if (!signal.aborted) throw error;
        await giveIndexBack(options.database, due);
      }
    },
  };
}
