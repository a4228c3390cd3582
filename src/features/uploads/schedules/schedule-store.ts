/** The SQL of the operations that set, run and show schedules. `due-schedule-store.ts` has the SQL of the process that runs them. */
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import { allRows, firstRow } from '../../../platform/postgres/rows.ts';
import type { ScheduleState } from './due-schedule-store.ts';
import type { ScheduledLoad, ScheduleRun } from './schedule.ts';

export interface Schedule extends ScheduledLoad, ScheduleState {
  readonly id: string;
  readonly accountId: string;
  readonly domainId: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly cron: string | null;
  readonly timezone: string;
  readonly spreadMs: number;
  readonly isEnabled: boolean;
  readonly hasHook: boolean;
  readonly createdAt: Date;
  /** The time by the clock of the database. */
  readonly now: Date;
}

export interface ScheduleKey {
  readonly domainId: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
}

const COLUMNS = `
  s.id, s.account_id AS "accountId", s.domain_id AS "domainId", s.sitemap_name AS "sitemapName", s.cron, s.timezone, s.spread_ms AS "spreadMs", s.asked,
  s.terms, s.is_enabled AS "isEnabled", s.hook_hash IS NOT NULL AS "hasHook", s.created_at AS "createdAt",
  s.planned_at AS "plannedAt", s.asked_at AS "askedAt", s.asked_due_at AS "askedDueAt", s.asked_by AS "askedBy",
  s.load_id AS "loadId", s.runs, s.failures, s.failed_since AS "failedSince", s.waits_since AS "waitsSince", now() AS now`;

const ONE = `SELECT ${COLUMNS} FROM schedules s WHERE s.domain_id = $1 AND s.sitemap_name = $2`;

export function findSchedule(queryable: Queryable, { domainId, sitemapName }: ScheduleKey) {
  return firstRow<Schedule>(queryable, ONE, [domainId, sitemapName]);
}

export function lockSchedule(transaction: Transaction, { domainId, sitemapName }: ScheduleKey) {
  return firstRow<Schedule>(transaction, `${ONE} FOR NO KEY UPDATE`, [domainId, sitemapName]);
}

/** Lists the first `limit` schedules of a domain after the name `after`. If `names` is not null, lists only schedules of these sitemaps. */
export function listSchedules(
  queryable: Queryable,
  domainId: string,
  limit: number,
  after: string | undefined,
  names: readonly string[] | null = null,
) {
  return allRows<Schedule>(
    queryable,
    `SELECT ${COLUMNS} FROM schedules s
      WHERE s.domain_id = $1 AND ($3::text IS NULL OR s.sitemap_name > $3) AND ($4::text[] IS NULL OR s.sitemap_name = ANY($4))
      ORDER BY s.sitemap_name LIMIT $2`,
    [domainId, limit, after ?? null, names],
  );
}

/** Lists the last runs, the newest first. */
export function listRuns(queryable: Queryable, scheduleId: string) {
  return allRows<ScheduleRun>(
    queryable,
    `SELECT n, cause, planned_at AS "plannedAt", began_at AS "beganAt", ended_at AS "endedAt", outcome,
            upload_id AS "uploadId", code, message
       FROM schedule_runs WHERE schedule_id = $1 ORDER BY n DESC`,
    [scheduleId],
  );
}

/** Lists at most `limit` of the sitemaps whose schedules read by this connection. */
export async function listScheduledBy(
  queryable: Queryable,
  accountId: string,
  connection: string,
  limit: number,
): Promise<{ readonly hostname: string; readonly sitemapName: string }[]> {
  const { rows } = await queryable.query(
    `SELECT d.hostname, s.sitemap_name AS "sitemapName" FROM schedules s JOIN domains d ON d.id = s.domain_id
      WHERE s.account_id = $1 AND s.asked->>'connection' = $2 ORDER BY d.hostname, s.sitemap_name LIMIT $3`,
    [accountId, connection, limit],
  );
  return rows;
}

/** The account must be locked. */
export async function countSchedules(transaction: Transaction, accountId: string): Promise<number> {
  const { rows } = await transaction.query<{ count: number }>(
    'SELECT count(*) FROM schedules WHERE account_id = $1',
    [accountId],
  );
  return rows[0]!.count;
}

export async function findNow(queryable: Queryable): Promise<Date> {
  const { rows } = await queryable.query<{ now: Date }>('SELECT now() AS now');
  return rows[0]!.now;
}

/** The settings of a schedule. */
export interface ScheduleRow extends ScheduledLoad {
  readonly cron: string | null;
  readonly timezone: string;
  readonly gapMinutes: number | null;
  readonly isEnabled: boolean;
  readonly plannedAt: Date | null;
  readonly dueAt: Date | null;
}

/** Returns false if the domain is gone. */
export async function insertSchedule(
  transaction: Transaction,
  { id, accountId, spreadMs }: { readonly id: string; readonly accountId: string; readonly spreadMs: number },
  { domainId, sitemapName }: ScheduleKey,
  row: ScheduleRow,
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    `INSERT INTO schedules (id, account_id, domain_id, sitemap_name, spread_ms, cron, timezone, gap_minutes, asked, terms,
                            is_enabled, planned_at, due_at)
     SELECT $1, $2, d.id, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 FROM domains d WHERE d.id = $3 FOR KEY SHARE`,
    [id, accountId, domainId, sitemapName, spreadMs, ...valuesOf(row)],
  );
  return rowCount === 1;
}

/**
 * Writes the new settings of a schedule. A schedule that waits for room stops waiting, and is due at the new time. If the load of the
 * schedule has ended, the schedule is due at once, because the end of the load has made it due already. The caller must have locked the
 * schedule.
 */
export async function updateSchedule(transaction: Transaction, id: string, row: ScheduleRow): Promise<void> {
  await transaction.query(
    `UPDATE schedules SET cron = $2, timezone = $3, gap_minutes = $4, asked = $5, terms = $6, is_enabled = $7,
            planned_at = $8, waits_since = NULL, fence = fence + 1,
            due_at = CASE WHEN load_id IS NULL OR EXISTS (SELECT FROM loads l WHERE l.id = load_id AND l.ended_at IS NULL)
                          THEN $9::timestamptz ELSE now() END
      WHERE id = $1`,
    [id, ...valuesOf(row)],
  );
}

function valuesOf(row: ScheduleRow): unknown[] {
  const { cron, timezone, gapMinutes, asked, terms, isEnabled, plannedAt, dueAt } = row;
  return [
    ...[cron, timezone, gapMinutes, JSON.stringify(asked), JSON.stringify(terms)],
    ...[isEnabled, plannedAt, dueAt],
  ];
}

export async function deleteScheduleRow(
  transaction: Transaction,
  { domainId, sitemapName }: ScheduleKey,
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'DELETE FROM schedules WHERE domain_id = $1 AND sitemap_name = $2',
    [domainId, sitemapName],
  );
  return rowCount === 1;
}

/** Deletes a schedule if its load is `loadId`. Null stands for no load. Returns false if the schedule has another load, or is gone. */
export async function deleteScheduleOf(
  transaction: Transaction,
  id: string,
  loadId: string | null,
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'DELETE FROM schedules WHERE id = $1 AND load_id IS NOT DISTINCT FROM $2',
    [id, loadId],
  );
  return rowCount === 1;
}

export interface PlannedSchedule extends Pick<Schedule, 'plannedAt' | 'askedDueAt' | 'loadId' | 'now'> {
  readonly id: string;
  readonly cron: string | null;
  readonly timezone: string;
  readonly spreadMs: number;
  readonly dueAt: Date | null;
  readonly hasLoadEnded: boolean;
  /** The planned time of the last run. Times that are more than an hour ahead are ignored. Null if there is no such run. */
  readonly lastAt: Date | null;
  readonly fence: number;
}

/**
 * Lists the first `limit` schedules with an id after `after` that are not due yet, or that have times but no next planned time.
 * `askedDueAt` in the result is at most AT_MOST ahead.
 */
export function listLater(queryable: Queryable, after: string, limit: number) {
  return allRows<PlannedSchedule>(
    queryable,
    `SELECT id, cron, timezone, spread_ms AS "spreadMs", planned_at AS "plannedAt", due_at AS "dueAt", load_id AS "loadId", fence,
            EXISTS (SELECT FROM loads l WHERE l.id = s.load_id AND l.ended_at IS NOT NULL) AS "hasLoadEnded",
            CASE WHEN asked_due_at > now() + ${AT_MOST} THEN now() + ${AT_MOST} ELSE asked_due_at END AS "askedDueAt", now() AS now,
            (SELECT max(planned_at) FROM schedule_runs r
              WHERE r.schedule_id = s.id AND r.planned_at < now() + interval '1 hour') AS "lastAt"
       FROM schedules s
      WHERE id > $1 AND (due_at > now() OR is_enabled AND cron IS NOT NULL AND planned_at IS NULL) ORDER BY id LIMIT $2`,
    [after, limit],
  );
}

/** Moves the times of a schedule back. Changes nothing if the schedule has changed meanwhile. */
export async function moveBack(
  queryable: Queryable,
  { id, fence }: Pick<PlannedSchedule, 'id' | 'fence'>,
  {
    plannedAt,
    askedDueAt,
    dueAt,
  }: Pick<ScheduleState, 'plannedAt' | 'askedDueAt'> & { readonly dueAt: Date },
): Promise<void> {
  await queryable.query(
    `UPDATE schedules SET planned_at = $3, asked_due_at = $4, due_at = $5, fence = fence + 1 WHERE id = $1 AND fence = $2`,
    [id, fence, plannedAt, askedDueAt, dueAt],
  );
}

/** Sets the hash of the hook's token. Null removes the hook. */
export async function setHook(transaction: Transaction, id: string, hash: Buffer | null): Promise<void> {
  await transaction.query('UPDATE schedules SET hook_hash = $2 WHERE id = $1', [id, hash]);
}

/** Makes a run due now. If a load is under way, the run is due when the load ends. */
export async function askRunNow(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(
    `UPDATE schedules SET asked_at = coalesce(asked_at, now()), asked_due_at = now(), asked_by = 'person',
            due_at = CASE WHEN load_id IS NULL THEN now() ELSE due_at END, fence = fence + 1
      WHERE id = $1`,
    [id],
  );
}

/** The quiet time after the last call of the hook until a run begins, because calls come in bursts. */
const QUIET = `interval '60 seconds'`;
const AT_MOST = `interval '10 minutes'`;
const ASKED_DUE = `CASE WHEN asked_by = 'person' THEN asked_due_at
                        ELSE least(coalesce(asked_at, now()) + ${AT_MOST}, now() + ${QUIET}) END`;

/**
 * Asks for a run by the hook with this hash. While the run waits, a further call only puts the run off, up to AT_MOST after the first call.
 * A run that a person asked for is not put off. Returns undefined if there is no such hook, and false if the schedule is paused.
 */
export async function askRunByHook(queryable: Queryable, hash: Buffer): Promise<boolean | undefined> {
  const { rows } = await queryable.query<{ isEnabled: boolean }>(
    `WITH asked AS (
       UPDATE schedules SET asked_at = coalesce(asked_at, now()), asked_by = coalesce(asked_by, 'hook'), asked_due_at = ${ASKED_DUE},
              due_at = CASE WHEN load_id IS NULL AND waits_since IS NULL
                            THEN least(planned_at + spread_ms * interval '1 millisecond', ${ASKED_DUE}) ELSE due_at END,
              fence = fence + 1
        WHERE hook_hash = $1 AND is_enabled
     )
     SELECT is_enabled AS "isEnabled" FROM schedules WHERE hook_hash = $1`,
    [hash],
  );
  return rows[0]?.isEnabled;
}
