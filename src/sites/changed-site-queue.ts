/**
 * The sweep of sites that are to be written: those whose process died after the change, and those that could not be written. Any
 * number of processes share it. A site that always fails is tried less and less often, and holds one place at a time.
 */
import type { WorkQueue } from '../jobs/start-working-off.ts';
import type { Database } from '../platform/postgres/database.ts';
import { type RequestedWrite, takeDueWrites } from './site-change-store.ts';

/** Many small sites at once go into one group (`write-in-turn.ts`). */
export const SWEPT_AT_ONCE = 100;
/** How long nobody looks after a look that found nothing. */
export const LOOK_EVERY_MS = 1_000;

export interface ChangedSiteQueueOptions {
  readonly database: Database;
  /** `changedAt`: when the site was changed. */
  readonly writeSite: (hostname: string, changedAt: Date) => Promise<unknown>;
}

export function createChangedSiteQueue({
  database,
  writeSite,
}: ChangedSiteQueueOptions): WorkQueue<RequestedWrite> {
  return {
    name: 'sites.write',
    take: (limit) => takeDueWrites(database, limit),
    async work({ hostname, changedAt }) {
      await writeSite(hostname, changedAt);
    },
  };
}
