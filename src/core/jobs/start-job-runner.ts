/**
 * Works on jobs until it is stopped: tasks (`job-tasks.ts`), leases (`job-leases.ts`), supervision
 * (`start-supervised.ts`).
 */
import { Logger, run } from 'graphile-worker';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { JobWorks } from './job.ts';
import { createHoldJob, startFreeingJobs } from './job-leases.ts';
import { JobTasks, type ReportJob } from './job-tasks.ts';
import { startRecurringJobs } from './start-recurring-jobs.ts';
import { startSupervised } from './start-supervised.ts';

const JOBS_AT_ONCE = 4;
const POLL_INTERVAL_MS = 2000;

/** Starts a runner for these jobs. Several runners of a process share nothing. */
export async function startJobRunner(
  database: Database,
  works: Partial<JobWorks>,
  log: Log,
  { report = () => {}, jobsAtOnce = JOBS_AT_ONCE }: { report?: ReportJob; jobsAtOnce?: number } = {},
) {
  const tasks = new JobTasks(works, createHoldJob(database, log), report);
  const freeing = await startFreeingJobs(database, log);
  const running = await startSupervised(
    () =>
      run({
        pgPool: database,
        taskList: tasks.list,
        parsedCronItems: [],
        concurrency: jobsAtOnce,
        pollInterval: POLL_INTERVAL_MS,
        noHandleSignals: true,
        // graphile-worker's stop() waits for results only if they are batched. A delay of 0 turns batches on. If a result is lost, the job
        // runs again when its lease expires.
        preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
        logger: jobLogger(log),
      }),
    log,
  ).catch(async (error) => {
    await freeing.stop();
    throw error;
  });
  const repetition = await startRecurringJobs(database, works, log);
  return {
    /** Takes no more jobs, and waits for the jobs under way. */
    async stop() {
      await repetition.stop();
      await Promise.race([running.stop(), tasks.areDone()]);
      await running.ended;
      await freeing.stop();
    },
  };
}

function jobLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error') log.error({}, message);
    else if (level === 'warning') log.warn({}, message);
    else log.debug({}, message);
  });
}
