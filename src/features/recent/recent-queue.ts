/** The queue of domains whose recent files are to be written: one at a time, the longest due first. */
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import type { AskOutside } from '../../platform/http/outbound.ts';
import { holdLease } from '../../platform/postgres/hold-lease.ts';
import { LeaseLost } from '../../platform/postgres/lease.ts';
import { createPingHub } from './ping-hub.ts';
import { type DueRecent, LEASE_MS, postponeRecent, renewRecent, takeDueRecent } from './recent-store.ts';
import { type WriteRecentOptions, writeRecent } from './write-recent.ts';

/** The pause after a look that found no due domain. A change may wait for a minute anyway. */
const POLL_MS = 2000;

export interface RecentQueueOptions extends WriteRecentOptions {
  readonly ask: AskOutside;
}

export function createRecentQueue(options: RecentQueueOptions): WorkQueue<DueRecent> {
  const { database, ask, hub } = options;
  const pingHub = hub === undefined ? undefined : createPingHub(ask, hub);
  return {
    name: 'recent.write',
    atOnce: 1,
    pollMs: POLL_MS,
    async take() {
      const due = await takeDueRecent(database);
      return due === undefined ? [] : [due];
    },
    /** Writes the recent changes of a domain. After an outage, the domain is due again when its lease ends. */
    async work(due, ending) {
      await using lease = holdLease({ lengthMs: LEASE_MS, renew: () => renewRecent(database, due) });
      try {
        const written = await writeRecent(options, due, AbortSignal.any([ending, lease.signal]));
        if (written?.newFeed !== undefined) pingHub?.(written.newFeed);
      } catch (error) {
        if (!(error instanceof LeaseLost) && !ending.aborted) throw error;
        // If another process has the lease, this call changes nothing.
        await postponeRecent(database, due, 0);
      }
    },
  };
}
