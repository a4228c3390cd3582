/**
 * The leases of the jobs under way. graphile-worker locks a job for 4 hours. Here the lock is a lease: its process renews the lease while
 * the work goes on, and any jobs process frees the job soon after the renewals stop. Renewals stop when the process dies. They never begin
 * when the answer that handed out the job is lost. If a freed job is still under way, it runs twice at once. Every handler must bear that.
 */
import { type Repetition, repeat } from '../../platform/concurrency/repeat.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type HeldLease, holdLeases } from '../../platform/postgres/hold-lease.ts';
import { freeJobs, renewJobs } from './job-store.ts';

const LEASE_MS = 30_000;
const FREE_EVERY_MS = 5_000;

const complain = (log: Log) => (err: unknown) => log.warn({ err }, 'the leases of jobs could not be renewed');

export function createHoldJob(database: Database, log: Log): (id: string) => HeldLease {
  return holdLeases<string>({
    lengthMs: LEASE_MS,
    renew: (ids) => renewJobs(database, ids),
    onFailure: complain(log),
  });
}

/** Frees jobs of dead processes until `stop` is called. Resolves after the first look. */
export async function startFreeingJobs(database: Database, log: Log): Promise<Repetition> {
  const free = () => freeJobs(database, LEASE_MS).catch(complain(log));
  await free();
  return repeat(free, FREE_EVERY_MS);
}
