/** The SQL of loads. The clock of the database says when a lease ends. Transactions lock loads after other rows, but before schedules. */
import { ageMs } from '../../../platform/postgres/age-ms.ts';
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import { deleteInPortions } from '../../../platform/postgres/delete-in-portions.ts';
import { isFree, LeaseLost, leasedFor } from '../../../platform/postgres/lease.ts';
import { allRows, firstRow } from '../../../platform/postgres/rows.ts';
import { currentTraceparent } from '../../../platform/trace/trace-context.ts';
import type { PlanName } from '../../accounts/plans.ts';
import type { AttemptOutcome } from '../attempt.ts';
import type { UploadForm } from '../forms/form.ts';
import type { Load, LoadProgress } from './load.ts';

export const LOAD_LEASE_MS = 10_000;

/** The caller has locked the account. */
export async function countRunningLoads(transaction: Transaction, accountId: string): Promise<number> {
  const { rows } = await transaction.query<{ count: number }>(
    'SELECT count(*) FROM loads WHERE account_id = $1 AND ended_at IS NULL',
    [accountId],
  );
  return rows[0]!.count;
}

/**
 * SQL: the lease of a new load of a schedule. Processes of versions without schedules refuse a load without key and person. This lease
 * keeps such processes from taking the load.
 */
const FOR_THE_NEW = `timestamptz 'infinity'`;

export async function insertLoad(transaction: Transaction, load: Load): Promise<void> {
  await transaction.query(
    `INSERT INTO loads (id, session_id, account_id, domain_id, hostname, sitemap_name, asked, key_id, user_id,
                        user_session_id, user_agent, form, schedule_id, traceparent, lease_until)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, CASE WHEN $13::text IS NOT NULL THEN ${FOR_THE_NEW} END)`,
    [
      ...[load.id, load.sessionId, load.accountId, load.domainId, load.hostname, load.sitemapName],
      ...[JSON.stringify(load.asked), load.keyId, load.userId, load.userSessionId, load.userAgent],
      ...[load.asked.form ?? ('xml' satisfies UploadForm), load.scheduleId, currentTraceparent()],
    ],
  );
}

const COLUMNS = `
  l.id, l.session_id AS "sessionId", l.account_id AS "accountId", l.domain_id AS "domainId", l.hostname,
  l.sitemap_name AS "sitemapName", l.asked, l.key_id AS "keyId", l.user_id AS "userId",
  l.user_session_id AS "userSessionId", l.user_agent AS "userAgent", l.schedule_id AS "scheduleId"`;

/** A load that this process has taken. */
export interface TakenLoad extends Load {
  readonly plan: PlanName;
  readonly fence: number;
  readonly begun: number;
  readonly isListed: boolean;
  /** The print of its list (`printOf`). Null if there is no list yet, or if an equal list does not prove that nothing has changed. */
  readonly listPrint: string | null;
  /** The `traceparent` of the request that asked for the load. */
  readonly traceparent: string | null;
  readonly progress: LoadProgress | null;
  readonly ageMs: number;
  /** The time since a process first took it, in milliseconds. */
  readonly begunMs: number;
}

/** Takes the loads that have waited longest and that no process works on. */
export function takeLoads(queryable: Queryable, limit: number) {
  return allRows<TakenLoad>(
    queryable,
    `WITH due AS (
       SELECT id FROM loads WHERE ended_at IS NULL AND (${isFree('lease_until')} OR lease_until = ${FOR_THE_NEW})
        ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED
     )
     UPDATE loads AS l SET lease_until = ${leasedFor(LOAD_LEASE_MS)}, fence = l.fence + 1, begun = l.begun + 1,
            begun_at = coalesce(begun_at, now())
       FROM due, accounts a WHERE l.id = due.id AND a.id = l.account_id
     RETURNING ${COLUMNS}, a.plan, l.fence, l.begun, l.is_listed AS "isListed", l.list_print AS "listPrint", l.traceparent,
               l.progress, ${ageMs('l.created_at')} AS "ageMs", ${ageMs('l.begun_at')} AS "begunMs"`,
    [limit],
  );
}

export type Held = Pick<TakenLoad, 'id' | 'fence'>;

/** Renews the lease, and records the progress. Throws LeaseLost if another process has the load, or if the load has ended. */
export async function renewLoad(queryable: Queryable, held: Held, progress: LoadProgress): Promise<void> {
  const { rowCount } = await queryable.query(
    `UPDATE loads SET lease_until = ${leasedFor(LOAD_LEASE_MS)}, progress = $3
      WHERE id = $1 AND fence = $2 AND ended_at IS NULL`,
    [held.id, held.fence, JSON.stringify(progress)],
  );
  if (rowCount !== 1) throw lost();
}

/** Gives the load back. Another process can take it after `afterMs`. */
export async function releaseLoad(
  queryable: Queryable,
  { id, fence }: Held,
  progress: LoadProgress,
  afterMs: number,
): Promise<void> {
  await queryable.query(
    `UPDATE loads SET lease_until = ${leasedFor('$3::float8')}, begun = 0, progress = $4
      WHERE id = $1 AND fence = $2 AND ended_at IS NULL`,
    [id, fence, afterMs, JSON.stringify(progress)],
  );
}

/**
 * Ends a load, and deletes its request, because the addresses may be secrets. `deleteOldLoads` deletes the addresses in the list of the
 * load. Throws LeaseLost if another process has the load, or if the load has ended.
 */
export async function endLoad(
  queryable: Queryable,
  { id, fence }: Held,
  progress: LoadProgress,
): Promise<void> {
  const { rowCount } = await queryable.query(
    `UPDATE loads SET ended_at = now(), asked = '{}', progress = $3 WHERE id = $1 AND fence = $2 AND ended_at IS NULL`,
    [id, fence, JSON.stringify({ ...progress, current: null, nextTryAt: null })],
  );
  if (rowCount !== 1) throw lost();
}

/** Ends a load, even while a process works on it. Returns false if the load has ended already. */
export async function cutLoad(transaction: Transaction, id: string): Promise<boolean> {
  const { rowCount } = await transaction.query(
    `UPDATE loads SET ended_at = now(), asked = '{}',
            progress = (progress::jsonb || '{"current": null, "nextTryAt": null}')::json
      WHERE id = $1 AND ended_at IS NULL`,
    [id],
  );
  return rowCount === 1;
}

export interface FoundLoad extends Load {
  readonly ageMs: number;
  readonly progress: LoadProgress | null;
  readonly hasEnded: boolean;
  /** Null while the load is under way, and once its attempt is deleted. */
  readonly outcome: AttemptOutcome | null;
}

const FOUND = `
  ${COLUMNS}, ${ageMs('l.created_at')} AS "ageMs", l.progress, l.ended_at IS NOT NULL AS "hasEnded",
  (SELECT outcome FROM attempts a WHERE a.id = l.id) AS outcome`;

export function findLoad(queryable: Queryable, accountId: string, id: string) {
  return firstRow<FoundLoad>(
    queryable,
    `SELECT ${FOUND} FROM loads l WHERE l.id = $1 AND l.account_id = $2`,
    [id, accountId],
  );
}

const KEEP_DAYS = 90;
const PORTION = 1000;

/** SQL: the id of the next load with a list. `after`: the id of the load before. */
const nextListed = (after: string) =>
  `SELECT load_id FROM load_objects WHERE load_id > ${after} ORDER BY load_id LIMIT 1`;

/** Deletes the lists of ended loads, and loads that ended more than 90 days ago. Any number of processes may run it at once. */
export async function deleteOldLoads(queryable: Queryable): Promise<void> {
  await deleteInPortions(
    queryable,
    // Few loads have a list, and the index finds the next one. So the statement reads neither all lists nor all ended loads.
    `WITH RECURSIVE listed AS (
       (${nextListed("''")})
       UNION ALL SELECT next.* FROM listed CROSS JOIN LATERAL (${nextListed('listed.load_id')}) next
     )
     DELETE FROM load_objects WHERE (load_id, n) IN (
       SELECT o.load_id, o.n FROM listed JOIN loads l ON l.id = listed.load_id
              CROSS JOIN LATERAL (SELECT load_id, n FROM load_objects WHERE load_id = l.id LIMIT $1) o
        WHERE l.ended_at IS NOT NULL LIMIT $1)`,
    [],
    PORTION,
  );
  await deleteInPortions(
    queryable,
    `DELETE FROM loads WHERE id IN (
       SELECT id FROM loads WHERE ended_at < now() - $1 * interval '1 day' ORDER BY ended_at LIMIT $2)`,
    [KEEP_DAYS],
    PORTION,
  );
}

export function lost(): LeaseLost {
  return new LeaseLost('the load has been taken over, or has ended');
}
