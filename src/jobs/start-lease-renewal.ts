/**
 * The leases of the jobs under way. graphile-worker locks a job for 4 hours. Here the lock is a lease: its process renews
 * it while the work goes on, and any jobs process frees it soon after the renewals stop. They stop when the process
 * dies, and when the answer that handed out the job is lost. If its owner still works on a freed job, the job runs twice
 * at once, and every handler must bear that.
 */
import { type Repetition, repeat } from '../platform/concurrency/repeat.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import { renewLeases } from './job-store.ts';

const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 5_000;

/** Renews the leases of `jobIds()` until `stop` is called. Resolves after the first renewal. */
export async function startLeaseRenewal(
  database: Database,
  jobIds: () => readonly string[],
  log: Log,
): Promise<Repetition> {
  const renew = () =>
    renewLeases(database, jobIds(), LEASE_MS).catch((error) => {
      log.warn({ err: error }, 'the leases of jobs could not be renewed');
    });
  await renew();
  return repeat(renew, RENEW_EVERY_MS);
}
