/**
 * Jobs: what happens later or again. A queue in Postgres (graphile-worker), so that a job can be enqueued in
 * the same transaction as the change it belongs to.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Logger, parseCronItems, type Runner, run, type Task, type TaskList } from 'graphile-worker';
import pRetry from 'p-retry';
import type { Database, Queryable } from './database.ts';
import type { Log } from './log.ts';

/** The names of all jobs and their payloads; `job-runner.ts` has the handlers. */
export interface Jobs {
  /** Writes a site again unless hosting has its newest generation already. */
  'site.publish': { hostname: string };
  /** Deletes from object storage what nothing refers to any more. */
  'garbage.collect': Record<string, never>;
  /** Writes the host directory again where it is not what the database says. */
  'hosts.write': Record<string, never>;
}
export type JobName = keyof Jobs;

/** `since`: when the job, or one whose place it took before it ran, was enqueued. */
export type JobHandlers = { [Name in JobName]: (payload: Jobs[Name], since: Date) => Promise<void> };

export type ReportJob = (name: string, outcome: 'done' | 'failed', seconds: number) => void;

/** Enqueues a job; of several with one `key` that wait, only the last remains. */
export async function enqueueJob<Name extends JobName>(
  queryable: Queryable,
  name: Name,
  payload: Jobs[Name],
  { key, delayMs = 0 }: { key: string; delayMs?: number },
): Promise<void> {
  await queryable.query(
    `SELECT graphile_worker.add_job($1, $2::json, job_key => $3, run_at => now() + $4 * interval '1 millisecond')`,
    [name, JSON.stringify(payload), key, delayMs],
  );
}

/** Whether a job with this key is being worked on, or waits for its time and has not failed yet. */
export async function isJobUnderWay(queryable: Queryable, key: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `SELECT FROM graphile_worker.jobs
      WHERE key = $1 AND (locked_at IS NOT NULL OR (attempts = 0 AND run_at > now()))`,
    [key],
  );
  return rowCount !== 0;
}

export interface StuckJob {
  readonly name: string;
  readonly key: string | null;
  /** For people. */
  readonly why: string;
  readonly lastError: string | null;
}

/**
 * Jobs that do not get done, at most `limit`. Failed ones are tried again after e, e², e³ … seconds, so a third attempt
 * has failed for half a minute; what is due waits no longer than the poll interval while anyone works on jobs.
 */
export async function listStuckJobs(queryable: Queryable, limit: number): Promise<StuckJob[]> {
  const { rows } = await queryable.query<StuckJob>(
    `SELECT * FROM (
       SELECT task_identifier AS name, key, last_error AS "lastError", CASE
                -- While someone works on a job, its locked_at is renewed.
                WHEN least(locked_at, run_at) < now() - interval '1 hour' AND locked_at IS NOT NULL
                THEN 'due for over an hour'
                WHEN locked_at IS NOT NULL THEN NULL
                WHEN attempts >= max_attempts THEN 'given up after ' || attempts || ' attempts'
                WHEN attempts >= 3 THEN 'failed ' || attempts || ' times'
                WHEN run_at < now() - interval '10 minutes' THEN 'due for over 10 minutes'
              END AS why
         FROM graphile_worker.jobs ORDER BY run_at) AS jobs
      WHERE why IS NOT NULL LIMIT $1`,
    [limit],
  );
  return rows;
}

export interface JobRunner {
  /** Waits for the jobs under way. */
  stop(): Promise<void>;
}

/** A job that is enqueued again and again. */
export interface RecurringJob {
  readonly name: JobName;
  /** As in crontab(5), in UTC. */
  readonly schedule: string;
}

/**
 * A job is locked by who works on it, and graphile-worker takes a lock for abandoned after 4 hours only. Here it is
 * a lease: renewed while the work goes on, and freed by whoever works on jobs soon after it no longer is, be it that
 * the process died or that the answer was lost which gave it the job. Should someone work on it nevertheless, the
 * job is done twice at once, which every handler must bear.
 */
const LEASE_MS = 30_000;
const RENEW_LEASES_EVERY_MS = 5_000;
/** How long the result of the last job may take to be written down when the process ends. */
const SETTLE_MS = 2_000;
/** For ever: otherwise nobody would work on jobs, and nobody would notice. */
const RESTARTS = { retries: Number.POSITIVE_INFINITY, minTimeout: 500, maxTimeout: 10_000, factor: 2 };

/** Works on jobs until it is stopped. */
export async function runJobs(
  database: Database,
  handlers: JobHandlers,
  recurring: readonly RecurringJob[],
  log: Log,
  report: ReportJob = () => {},
): Promise<JobRunner> {
  const underWay = new Set<string>();
  const taskList = Object.fromEntries(
    Object.entries(handlers).map(([name, handle]): [string, Task] => [
      name,
      async (payload, { job }) => {
        underWay.add(job.id);
        const startedAt = performance.now();
        const end = (outcome: 'done' | 'failed') => {
          underWay.delete(job.id);
          report(name, outcome, (performance.now() - startedAt) / 1000);
        };
        const work = handle(payload as never, job.created_at);
        await work.then(
          () => end('done'),
          (error) => {
            end('failed');
            throw error;
          },
        );
      },
    ]),
  ) as TaskList;
  const parsedCronItems = parseCronItems(
    recurring.map(({ name, schedule }) => ({ task: name, match: schedule })),
  );
  const logger = new Logger(() => (level, message) => {
    if (level === 'error') log.error({}, message);
    else if (level === 'warning') log.warn({}, message);
    else log.debug({}, message);
  });
  const start = () =>
    run({
      pgPool: database,
      taskList,
      parsedCronItems,
      concurrency: 4,
      pollInterval: 2000,
      noHandleSignals: true,
      // Only batched results, even of no delay, are waited for by `stop`; a lost one leaves its job to its lease.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger,
    });

  const stopped = new AbortController();
  const keepLeases = () =>
    renewLeases(database, [...underWay]).catch((error) => {
      log.warn({ err: error }, 'the leases of jobs could not be renewed');
    });
  await keepLeases();
  let runner = await start();
  /** It ends by itself when the result of a job could not be written down, as when a connection is lost just then. */
  const keepRunning = async () => {
    for (;;) {
      await beginsToEnd(runner);
      if (stopped.signal.aborted) return;
      log.warn({}, 'the work on jobs ended, and begins again');
      const restart = async () => {
        const begun = await start();
        // `stop` was called meanwhile, and had only the former one to stop.
        if (stopped.signal.aborted) await begun.stop();
        return begun;
      };
      runner = await pRetry(restart, { ...RESTARTS, signal: stopped.signal });
    }
  };
  const running = keepRunning().catch((error) => {
    if (!stopped.signal.aborted) log.error({ err: error }, 'the work on jobs ended');
  });
  const leases = setInterval(() => void keepLeases(), RENEW_LEASES_EVERY_MS);

  return {
    async stop() {
      stopped.abort();
      const isStopped = runner.stop().catch(() => {}); // It may have ended by itself.
      await Promise.race([isStopped, areDone(underWay)]);
      await running;
      clearInterval(leases);
    },
  };
}

/**
 * Not when it has ended: that may never be (seen in graphile-worker 0.18), for a result that could not be written down is
 * counted off twice, and then its end waits for all to be counted off. It finishes its jobs beside its successor.
 */
function beginsToEnd({ events, promise }: Runner): Promise<void> {
  const { promise: begins, resolve } = Promise.withResolvers<void>();
  events.once('pool:gracefulShutdown', () => resolve());
  promise.then(resolve, () => resolve());
  return begins;
}

async function areDone(underWay: ReadonlySet<string>): Promise<void> {
  // Not what keeps a process from its end when its jobs have ended sooner.
  do await delay(SETTLE_MS, undefined, { ref: false });
  while (underWay.size > 0);
}

/** Keeps the jobs that we work on, and frees those that nobody works on. The tables are graphile-worker's own. */
async function renewLeases(database: Database, jobIds: readonly string[]): Promise<void> {
  await database.query(
    'UPDATE graphile_worker._private_jobs SET locked_at = now() WHERE id = ANY($1::bigint[])',
    [jobIds],
  );
  await database.query(
    `UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL
      WHERE locked_at < now() - $1 * interval '1 millisecond'`,
    [LEASE_MS],
  );
}

export const quietJobQueueLogger = new Logger(() => () => {});
