/**
 * The sweep writes sites that the process of their change did not write, because it died or because the write failed. Any number of
 * processes share the sweep. A site that keeps failing is tried less and less often, and holds at most one place.
 */
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type RequestedWrite, takeDueWrites } from './site-change-store.ts';

/** The most sites under way at once. Small sites are written together in groups (`write-in-turn.ts`). */
const SWEPT_AT_ONCE = 100;
/** The pause after a look that found no due site. */
const LOOK_EVERY_MS = 1_000;

export function createChangedSiteQueue(
  database: Database,
  writeSite: (hostname: string, changedAt: Date) => Promise<unknown>,
): WorkQueue<RequestedWrite> {
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
