/**
 * Works on jobs until it is stopped: tasks (`job-tasks.ts`), supervision (`start-supervised.ts`), recurring jobs and leases.
 */
import { Logger, run } from 'graphile-worker';
import { type Repetition, repeat } from '../../platform/concurrency/repeat.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type HeldLease, holdLeases } from '../../platform/postgres/hold-lease.ts';
import type { JobName, JobWorks } from './job.ts';
import { enqueueRecurringJob, freeJobs, renewJobs } from './job-store.ts';
import { JobTasks, type ReportJob } from './job-tasks.ts';
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

const LOOK_EVERY_MS = 10_000;

/**
 * Starts to keep recurring jobs in the queue, by the clock of the database. The cron of graphile-worker goes by the clock of each process:
 * a clock that is a day ahead stops these jobs in all processes for a day. Resolves after the first look at the queue. A job that this look
 * does not find runs at once: the former version may not have had this job, and its work may be overdue.
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

/**
 * graphile-worker locks a job for 4 hours. Here the lock is a lease: its process renews the lease while the work goes on, and any jobs
 * process frees the job soon after the renewals stop. Renewals stop when the process dies. They never begin when the answer that handed
 * out the job is lost. If a freed job is still under way, it runs twice at once. Every handler must bear that.
 */
const LEASE_MS = 30_000;
const FREE_EVERY_MS = 5_000;

const complain = (log: Log) => (err: unknown) => log.warn({ err }, 'the leases of jobs could not be renewed');

function createHoldJob(database: Database, log: Log): (id: string) => HeldLease {
  return holdLeases<string>({
    lengthMs: LEASE_MS,
    renew: (ids) => renewJobs(database, ids),
    onFailure: complain(log),
  });
}

/** Frees jobs of dead processes until `stop` is called. Resolves after the first look. */
async function startFreeingJobs(database: Database, log: Log): Promise<Repetition> {
  const free = () => freeJobs(database, LEASE_MS).catch(complain(log));
  await free();
  return repeat(free, FREE_EVERY_MS);
}
