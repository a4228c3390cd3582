/**
 * Jobs: what happens later or again. A queue in Postgres (graphile-worker), so that a job can be enqueued in
 * the same transaction as the change it belongs to.
 */
import { Logger, parseCronItems, run, type TaskList } from 'graphile-worker';
import type { Database, Queryable } from './database.ts';
import type { Log } from './log.ts';

/** The names of all jobs and their payloads; `job-runner.ts` has the handlers. */
export interface Jobs {
  /** Writes a site again unless hosting has its newest generation already. */
  'site.publish': { hostname: string };
  /** Deletes from object storage what nothing refers to any more. */
  'garbage.collect': Record<string, never>;
}
export type JobName = keyof Jobs;

export type JobHandlers = { [Name in JobName]: (payload: Jobs[Name]) => Promise<void> };

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

/** Works on jobs until it is stopped. */
export async function runJobs(
  database: Database,
  handlers: JobHandlers,
  recurring: readonly RecurringJob[],
  log: Log,
): Promise<JobRunner> {
  const taskList = Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => [name, (payload: unknown) => handle(payload as never)]),
  ) as TaskList;
  const runner = await run({
    pgPool: database,
    taskList,
    parsedCronItems: parseCronItems(recurring.map(({ name, schedule }) => ({ task: name, match: schedule }))),
    concurrency: 4,
    pollInterval: 2000,
    noHandleSignals: true,
    // Only batched results, even of no delay, are waited for by `stop`; a lost one leaves its job locked for 4 h.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new Logger(() => (level, message) => {
      if (level === 'error') log.error({}, message);
      else if (level === 'warning') log.warn({}, message);
      else log.debug({}, message);
    }),
  });
  return { stop: () => runner.stop() };
}

export const quietJobQueueLogger = new Logger(() => () => {});
