/**
 * Keeps recurring jobs in the queue, by the clock of the database. The cron of graphile-worker goes by the clock of each
 * process: one that is a day ahead would stop these jobs in all processes for a day.
 */
import { type Repetition, repeat } from '../platform/concurrency/repeat.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { RecurringJob } from './job.ts';
import { enqueueRecurringJob } from './job-store.ts';

const LOOK_EVERY_MS = 10_000;

/** Resolves after the first look. */
export async function startRecurringJobs(
  database: Database,
  recurring: readonly RecurringJob[],
  log: Log,
): Promise<Repetition> {
  const look = async () => {
    try {
      for (const job of recurring) await enqueueRecurringJob(database, job);
    } catch (err) {
      log.warn({ err }, 'recurring jobs could not be enqueued');
    }
  };
  await look();
  return repeat(look, LOOK_EVERY_MS);
}
