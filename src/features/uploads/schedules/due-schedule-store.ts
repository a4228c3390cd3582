/**
 * The SQL of the process that looks at due schedules. `due_at` is also the lease of this process, and each of its changes checks the fence.
 * Transactions lock loads, then schedules, then runs: the end of a load locks its schedule, and the deletion of a schedule locks its runs.
 */
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import { LeaseLost, leasedFor } from '../../../platform/postgres/lease.ts';
import { allRows, firstRow } from '../../../platform/postgres/rows.ts';
import type { PlanName } from '../../accounts/plans.ts';
import type { AttemptOutcome } from '../attempt.ts';
import type { ScheduleRun, ScheduleSettings } from './schedule.ts';
import { KEPT_RUNS } from './schedule.ts';

/** To look at a schedule takes some milliseconds, far less than the lease. */
const LEASE_MS = 10_000;
/** The number of the oldest due schedules among which accounts take turns. */
const OLDEST = 1000;

/** The columns that a look sets. */
export interface ScheduleState {
  readonly plannedAt: Date | null;
  readonly askedAt: Date | null;
  readonly askedDueAt: Date | null;
  readonly askedBy: 'hook' | 'person' | null;
  /** The id of the load under way. */
  readonly loadId: string | null;
  readonly runs: number;
  /** The number of failed runs since the last success. */
  readonly failures: number;
  readonly failedSince: Date | null;
  readonly waitsSince: Date | null;
}

export interface DueSchedule extends ScheduleState, Omit<ScheduleSettings, 'times'> {
  readonly id: string;
  readonly accountId: string;
  readonly domainId: string;
  readonly hostname: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly cron: string | null;
  readonly timezone: string;
  readonly gapMinutes: number | null;
  readonly spreadMs: number;
  readonly fence: number;
  readonly plan: PlanName;
  readonly isSuspended: boolean;
  /** The time by the clock of the database. */
  readonly now: Date;
}

/** Takes schedules that are due. Accounts take turns, so an account with very many schedules delays no other account. */
export function takeDueSchedules(queryable: Queryable, limit: number) {
  return allRows<DueSchedule>(
    queryable,
    `WITH oldest AS (
       SELECT id, account_id, due_at FROM schedules WHERE due_at <= now() ORDER BY due_at LIMIT ${OLDEST}
     ), turns AS (
       SELECT id, due_at, row_number() OVER (PARTITION BY account_id ORDER BY due_at) AS turn FROM oldest
     ), due AS MATERIALIZED (
       SELECT s.id FROM (SELECT * FROM turns ORDER BY turn, due_at) AS t
              -- The limit makes Postgres look up each row, even when very many are due.
              CROSS JOIN LATERAL (SELECT id FROM schedules WHERE id = t.id AND due_at <= now()
                                   LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) s
        LIMIT $1
     )
     UPDATE schedules s SET due_at = ${leasedFor(LEASE_MS)}, fence = s.fence + 1
       FROM due, accounts a, domains d
      WHERE s.id = due.id AND a.id = s.account_id AND d.id = s.domain_id
  RETURNING s.id, s.account_id AS "accountId", s.domain_id AS "domainId", d.hostname, s.sitemap_name AS "sitemapName",
            s.cron, s.timezone, s.gap_minutes AS "gapMinutes", s.spread_ms AS "spreadMs", s.asked, s.terms,
            s.is_enabled AS "isEnabled", s.planned_at AS "plannedAt", s.asked_at AS "askedAt", s.asked_due_at AS "askedDueAt",
            s.asked_by AS "askedBy", s.load_id AS "loadId", s.runs, s.failures, s.failed_since AS "failedSince",
            s.waits_since AS "waitsSince", s.fence, a.plan, a.suspended_at IS NOT NULL AS "isSuspended", now() AS now`,
    [limit],
  );
}

/**
 * Returns whether a load has ended. A later end raises the fence of the schedule. The statement that takes schedules cannot tell whether
 * the load has ended, because a load may end while that statement waits for the row of its schedule.
 */
export async function hasLoadEnded(transaction: Transaction, loadId: string): Promise<boolean> {
  const { rowCount } = await transaction.query('SELECT FROM loads WHERE id = $1 AND ended_at IS NULL', [
    loadId,
  ]);
  return rowCount === 0;
}

/**
 * Puts the new state of a schedule. `dueAt`: the time of the next look. Throws LeaseLost if the schedule has changed since it was taken.
 */
export async function putState(
  transaction: Transaction,
  { id, fence }: Pick<DueSchedule, 'id' | 'fence'>,
  state: ScheduleState,
  dueAt: Date | null,
): Promise<void> {
  const { rowCount } = await transaction.query(
    `UPDATE schedules SET planned_at = $3, asked_at = $4, asked_due_at = $5, asked_by = $6, load_id = $7, runs = $8,
            failures = $9, failed_since = $10, waits_since = $11, due_at = $12, fence = fence + 1
      WHERE id = $1 AND fence = $2`,
    [
      ...[
        id,
        fence,
        state.plannedAt,
        state.askedAt,
        state.askedDueAt,
        state.askedBy,
        state.loadId,
        state.runs,
      ],
      ...[state.failures, state.failedSince, state.waitsSince, dueAt],
    ],
  );
  if (rowCount !== 1) throw new LeaseLost('the schedule was changed meanwhile');
}

/** Inserts a run, and deletes all but the newest runs. A run with an outcome ends now, because it began no load. */
export async function insertRun(
  transaction: Transaction,
  scheduleId: string,
  run: Omit<ScheduleRun, 'beganAt' | 'endedAt'>,
): Promise<void> {
  await transaction.query('DELETE FROM schedule_runs WHERE schedule_id = $1 AND n <= $2', [
    scheduleId,
    run.n - KEPT_RUNS,
  ]);
  await transaction.query(
    `INSERT INTO schedule_runs (schedule_id, n, cause, planned_at, outcome, upload_id, code, message, ended_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE WHEN $5::text IS NOT NULL THEN now() END)`,
    [scheduleId, run.n, run.cause, run.plannedAt, run.outcome, run.uploadId, run.code, run.message],
  );
}

export interface LoadOutcome {
  readonly outcome: AttemptOutcome;
  readonly code: string | null;
  readonly message: string | null;
}

/** Finds the outcome of a load that has ended. Returns undefined if its attempt is gone. */
export function findLoadOutcome(queryable: Queryable, uploadId: string) {
  return firstRow<LoadOutcome>(queryable, 'SELECT outcome, code, message FROM attempts WHERE id = $1', [
    uploadId,
  ]);
}

export async function endRun(
  transaction: Transaction,
  { id, loadId }: Pick<DueSchedule, 'id' | 'loadId'>,
  { outcome, code, message }: LoadOutcome,
): Promise<void> {
  await transaction.query(
    `UPDATE schedule_runs SET outcome = $3, code = $4, message = $5,
            ended_at = coalesce((SELECT ended_at FROM loads WHERE id = $2), now())
      WHERE schedule_id = $1 AND upload_id = $2`,
    [id, loadId, outcome, code, message],
  );
}
