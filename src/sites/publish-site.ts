/**
 * Brings a change of a domain to hosting. A change enqueues the job in its own transaction and then, once that
 * is committed, writes the site at once; the job is there for the case that the process dies in between.
 */
import type { Queryable, Transaction } from '../platform/database.ts';
import { enqueueJob, isJobUnderWay } from '../platform/job-queue.ts';

/** Long enough for the process that made the change to write the site itself. */
const SAFETY_NET_DELAY_MS = 10_000;

export async function enqueuePublishSite(transaction: Transaction, hostname: string): Promise<void> {
  await enqueueJob(
    transaction,
    'site.publish',
    { hostname },
    { key: keyOf(hostname), delayMs: SAFETY_NET_DELAY_MS },
  );
}

/** Whether what hosting reads may lag behind the database for a good reason. */
export function isBeingPublished(queryable: Queryable, hostname: string): Promise<boolean> {
  return isJobUnderWay(queryable, keyOf(hostname));
}

const keyOf = (hostname: string) => `site.publish ${hostname}`;
