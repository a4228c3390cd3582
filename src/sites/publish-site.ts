/**
 * Brings a change of a domain to hosting. A change enqueues the job in its own transaction and then, once that
 * is committed, writes the site at once; the job is there for the case that the process dies in between.
 */
import type { Transaction } from '../platform/database.ts';
import { enqueueJob } from '../platform/job-queue.ts';

/** Long enough for the process that made the change to write the site itself. */
const SAFETY_NET_DELAY_MS = 10_000;

export async function enqueuePublishSite(transaction: Transaction, hostname: string): Promise<void> {
  await enqueueJob(
    transaction,
    'site.publish',
    { hostname },
    { key: `site.publish ${hostname}`, delayMs: SAFETY_NET_DELAY_MS },
  );
}
