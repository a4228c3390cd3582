/**
 * The SQL of the job queue. A job is a row in Postgres (graphile-worker), so a transaction can enqueue a job together
 * with its change.
 */
import type { Queryable } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import type { JobName, Jobs } from './job.ts';

/** A job with this priority runs after all other due jobs, which have priority 0. */
export const LATER = 1;

/** Enqueues a job. It replaces a waiting job with the same `key`. `priority`: jobs with a lower number come first. */
export async function enqueueJob<Name extends JobName>(
  queryable: Queryable,
  name: Name,
  payload: Jobs[Name],
  { key, delayMs = 0, priority = 0 }: { key: string; delayMs?: number; priority?: number },
): Promise<void> {
  await queryable.query(
    `SELECT graphile_worker.add_job($1, $2::json, job_key => $3, run_at => now() + $4 * interval '1 millisecond', priority => $5)`,
    [name, JSON.stringify(payload), key, delayMs, priority],
  );
}

/**
 * Enqueues a recurring job, unless one is waiting or running. It is due after `delayMs` by the clock of the database. graphile-worker tries
 * a failed job again after e ^ attempts seconds, so after an outage of hours it would wait for hours. This call replaces a job that is due
 * more than a minute after both `everyMs` and e ^ attempts seconds, at most e ^ 6, some 7 minutes. So it also replaces a job that a clock
 * ahead has planned.
 */
export async function enqueueRecurringJob(
  queryable: Queryable,
  name: JobName,
  everyMs: number,
  delayMs = everyMs,
): Promise<void> {
  await queryable.query(
    `SELECT graphile_worker.add_job($1, '{}', job_key => $1, run_at => now() + $3 * interval '1 millisecond')
      WHERE NOT EXISTS (
        SELECT FROM graphile_worker.jobs
         WHERE key = $1 AND attempts < max_attempts
           AND (locked_at IS NOT NULL
                OR run_at <= now() + greatest($2 * interval '1 millisecond', exp(least(attempts, 6)) * interval '1 second') + interval '1 minute'))`,
    [name, everyMs, delayMs],
  );
}

export interface StuckJob {
  readonly name: string;
  readonly key: string | null;
  /** The reason, for people. */
  readonly why: string;
  readonly lastError: string | null;
}

/** Jobs that go through all domains or all objects. In a large service they take hours. */
const LONG_JOBS: readonly JobName[] = ['doctor.examine', 'schema.backfill', 'sites.rebuild'];

/**
 * Lists at most `limit` jobs that make no progress. graphile-worker tries a failed job again after e, e², e³ … seconds, so three failures
 * mean at least 10 s of failure. While any jobs process runs, a due job waits at most a poll interval.
 */
export function listStuckJobs(queryable: Queryable, limit: number) {
  return allRows<StuckJob>(
    queryable,
    `SELECT * FROM (
       SELECT task_identifier AS name, key, last_error AS "lastError", CASE
                -- A running job has its locked_at renewed.
                WHEN least(locked_at, CASE WHEN task_identifier <> ALL($2) THEN run_at END) < now() - interval '1 hour'
                 AND locked_at IS NOT NULL
                THEN 'due for over an hour'
                WHEN locked_at IS NOT NULL THEN NULL
                WHEN attempts >= max_attempts THEN 'given up after ' || attempts || ' attempts'
                WHEN attempts >= 3 THEN 'failed ' || attempts || ' times'
                WHEN run_at < now() - interval '10 minutes' THEN 'due for over 10 minutes'
              END AS why
         FROM graphile_worker.jobs ORDER BY run_at) AS jobs
      WHERE why IS NOT NULL LIMIT $1`,
    [limit, LONG_JOBS],
  );
}

/** Extends the leases of jobs, in the tables of graphile-worker. */
export async function renewJobs(queryable: Queryable, jobIds: readonly string[]): Promise<void> {
  await queryable.query(
    'UPDATE graphile_worker._private_jobs SET locked_at = now() WHERE id = ANY($1::bigint[])',
    [jobIds],
  );
}

/**
 * SQL: whether the lease of a job has ended. A job whose `locked_at` is more than an hour in the future was locked by a clock that was
 * ahead.
 */
const HAS_ENDED = `(locked_at < now() - $1 * interval '1 millisecond' OR locked_at > now() + interval '1 hour')`;

/**
 * Frees every job whose lease has ended. A job that is enqueued again while it runs loses its key, and graphile-worker does not try it
 * again. After its failure, or the death of its process, such a job is deleted, because the newer job does its work.
 */
export async function freeJobs(queryable: Queryable, leaseMs: number): Promise<void> {
  await queryable.query(
    `DELETE FROM graphile_worker._private_jobs
      WHERE coalesce(${HAS_ENDED}, true) AND key IS NULL AND attempts >= max_attempts`,
    [leaseMs],
  );
  await queryable.query(
    // A locked job was due. If the clock was ahead then, its time may be ahead, too.
    `UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL, run_at = least(run_at, now()) WHERE ${HAS_ENDED}`,
    [leaseMs],
  );
}
