/** The queue of domains whose recent files are due to be written. It takes one domain at a time, of each account in turn. */
import { oneInTurn } from '../../core/jobs/one-in-turn.ts';
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import type { AskOutside } from '../../platform/http/outbound.ts';
import { holdLease } from '../../platform/postgres/hold-lease.ts';
import { LeaseLost } from '../../platform/postgres/lease.ts';
import { isWriteRequested } from '../sites/site-change-store.ts';
import { type DueRecent, LEASE_MS, postponeRecent, renewRecent, takeDueRecent } from './due-recent-store.ts';
import { createPingHub } from './ping-hub.ts';
import { type WriteRecentOptions, writeRecent } from './write-recent.ts';

/** The pause after a look that found no due domain. It is short beside the minute for which a change may wait (RECENT_EVERY_MS). */
const POLL_MS = 2000;

export function createRecentQueue(
  options: WriteRecentOptions & { readonly ask: AskOutside },
): WorkQueue<DueRecent> {
  const { database, ask, hub } = options;
  const pingHub = hub === undefined ? undefined : createPingHub(ask, hub);
  return {
    name: 'recent.write',
    atOnce: 1,
    pollMs: POLL_MS,
    take: oneInTurn((after) => takeDueRecent(database, after)),
    /** Writes the recent changes of a domain. After an outage, the domain is due again when its lease ends. */
    async work(due, ending) {
      await using lease = holdLease({ lengthMs: LEASE_MS, renew: () => renewRecent(database, due) });
      try {
        const written = await writeRecent(options, due, AbortSignal.any([ending, lease.signal]));
        const isShown = async () => !(await isWriteRequested(database, due.hostname));
        if (written?.newFeed !== undefined) pingHub?.(written.newFeed, isShown);
      } catch (error) {
        if (!(error instanceof LeaseLost) && !ending.aborted) throw error;
        // This call changes nothing if another process has the lease.
        await postponeRecent(database, due, 0);
      }
    },
  };
}
