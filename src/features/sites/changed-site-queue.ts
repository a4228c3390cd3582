/**
 * The sweep writes sites whose process died after the change, and sites whose write failed. Any number of processes share it. A site that
 * keeps failing is tried less and less often, and holds one place at a time.
 */
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type RequestedWrite, takeDueWrites } from './site-change-store.ts';

/** The most sites under way at once. Small sites are written together in groups (`write-in-turn.ts`). */
const SWEPT_AT_ONCE = 100;
/** The pause after a look that found no due site. */
const LOOK_EVERY_MS = 1_000;

export interface ChangedSiteQueueOptions {
  readonly database: Database;
  /** `changedAt` is the time of the change. */
  readonly writeSite: (hostname: string, changedAt: Date) => Promise<unknown>;
}

export function createChangedSiteQueue({
  database,
  writeSite,
}: ChangedSiteQueueOptions): WorkQueue<RequestedWrite> {
  return {
    name: 'sites.write',
    atOnce: SWEPT_AT_ONCE,
    pollMs: LOOK_EVERY_MS,
    take: (limit) => takeDueWrites(database, limit),
    async work({ hostname, changedAt }) {
      await writeSite(hostname, changedAt);
    },
  };
}
