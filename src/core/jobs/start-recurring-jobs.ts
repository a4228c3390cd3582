/**
 * Keeps recurring jobs in the queue, by the clock of the database. The cron of graphile-worker goes by the clock of each process: a clock
 * that is a day ahead stops these jobs in all processes for a day.
 */
import { type Repetition, repeat } from '../../platform/concurrency/repeat.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { JobName, JobWorks } from './job.ts';
import { enqueueRecurringJob } from './job-store.ts';

const LOOK_EVERY_MS = 10_000;

/**
 * Starts to keep the jobs in the queue. Resolves after the first look at the queue. A job that is not in the queue then runs at once: the
 * former version may not have had this job, and its work may be overdue.
 */
export async function startRecurringJobs(
  database: Database,
  works: Partial<JobWorks>,
  log: Log,
): Promise<Repetition> {
  const look = async (isFirst = false) => {
    try {
      for (const [name, { everyMs }] of Object.entries(works)) {
        if (everyMs === undefined) continue;
        await enqueueRecurringJob(database, name as JobName, everyMs, isFirst ? 0 : everyMs);
      }
    } catch (err) {
      log.warn({ err }, 'recurring jobs could not be enqueued');
    }
  };
  await look(true);
  return repeat(() => look(), LOOK_EVERY_MS);
}
