/** The SQL of DNS checks: which are due, and what they found. All times come from the clock of the database. */
import {
  type Database,
  inTransaction,
  type Queryable,
  slowStatement,
} from '../platform/postgres/database.ts';
import type { Diagnosis, ShownRecord } from './diagnosis.ts';
import type { Domain } from './domain.ts';
import { COLUMNS } from './domain-store.ts';
import { IS_SERVED } from './served-domain-store.ts';
import { afterCheck, type Watch } from './watch.ts';

/** What the last check found. */
export interface LastCheck {
  readonly found: readonly ShownRecord[];
  readonly problem: string | null;
  /** Null before the first check. */
  readonly checkedAt: Date | null;
  /** Null: none is planned. */
  readonly nextCheckAt: Date | null;
}

export interface DueCheck {
  readonly id: string;
  readonly hostname: string;
  readonly cnameTarget: string;
}

/** A check that got no result, because its process died, is due again after this time. */
const CLAIM_MINUTES = 10;

export async function findLastCheck(queryable: Queryable, domainId: string): Promise<LastCheck> {
  const { rows } = await queryable.query<LastCheck>(
    `SELECT coalesce(dns_found, '[]') AS found, dns_problem AS problem, checked_at AS "checkedAt",
            check_at AS "nextCheckAt"
       FROM domains WHERE id = $1`,
    [domainId],
  );
  return rows[0] ?? { found: [], problem: null, checkedAt: null, nextCheckAt: null };
}

/** Takes up to `limit` domains whose check is due. Processes that take at the same time get different ones. */
export async function takeDueChecks(queryable: Queryable, limit: number): Promise<DueCheck[]> {
  const { rows } = await queryable.query<DueCheck>(
    // Materialized: a plan that runs it twice takes more than the limit.
    `WITH due AS MATERIALIZED (
       SELECT id FROM domains WHERE check_at <= now() AND ${IS_SERVED}
        ORDER BY check_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
     )
     UPDATE domains d SET check_at = now() + $2 * interval '1 minute' FROM due WHERE d.id = due.id
     RETURNING d.id, d.hostname, d.cname_target AS "cnameTarget"`,
    [limit, CLAIM_MINUTES],
  );
  return rows;
}

/**
 * The same of domains that wait for their verification. The next check is planned at once: each minute for an hour, then every
 * ten minutes for a day, then every three hours, until the registration ends.
 */
export async function takeDuePending(queryable: Queryable, limit: number): Promise<Domain[]> {
  const { rows } = await queryable.query<Domain>(
    `WITH due AS MATERIALIZED (
       SELECT id FROM domains WHERE check_at <= now() AND status = 'pending_verification'
        ORDER BY check_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
     )
     UPDATE domains d
        SET check_at = now() + CASE WHEN created_at > now() - interval '1 hour' THEN interval '1 minute'
                                    WHEN created_at > now() - interval '1 day' THEN interval '10 minutes'
                                    ELSE interval '3 hours' END
       FROM due WHERE d.id = due.id RETURNING ${COLUMNS}`,
    [limit],
  );
  return rows;
}

/** Stores what a check of a domain that is not served found. */
export async function recordDiagnosis(
  queryable: Queryable,
  domainId: string,
  { found, problem }: Diagnosis,
): Promise<void> {
  await queryable.query(
    'UPDATE domains SET checked_at = now(), dns_found = $2, dns_problem = $3 WHERE id = $1',
    [domainId, JSON.stringify(found), problem],
  );
}

/** Stores the result of a check of a served domain, and when the next one is due. Returns whether the domain is lost. */
export async function recordCheck(
  database: Database,
  domainId: string,
  diagnosis: Diagnosis,
): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<Watch>(
      slowStatement(
        `SELECT wrong_checks AS "wrongChecks", ${ageMs('wrong_since')} AS "wrongForMs", ${ageMs('moved_at')} AS "movedForMs"
           FROM domains WHERE id = $1 AND ${IS_SERVED} FOR NO KEY UPDATE`,
        [domainId],
      ),
    );
    // The domain was deleted or failed meanwhile.
    if (rows[0] === undefined) return false;
    const next = afterCheck(rows[0], diagnosis.verdict, Math.random());
    await recordDiagnosis(transaction, domainId, diagnosis);
    await transaction.query(
      `UPDATE domains SET check_at = now() + $2 * interval '1 millisecond', wrong_checks = $3,
              wrong_since = now() - $4 * interval '1 millisecond', moved_at = now() - $5 * interval '1 millisecond'
        WHERE id = $1`,
      [domainId, next.nextInMs, next.wrongChecks, next.wrongForMs, next.movedForMs],
    );
    return next.isLost;
  });
}

/** Of the transaction's own time, so an age that is written back stays the same moment. */
const ageMs = (column: string) => `(extract(epoch FROM now() - ${column}) * 1000)::float8`;

/** The served domain of a hostname. */
export async function findHolder(
  queryable: Queryable,
  hostname: string,
): Promise<{ readonly id: string; readonly accountId: string } | undefined> {
  const { rows } = await queryable.query<{ id: string; accountId: string }>(
    `SELECT id, account_id AS "accountId" FROM domains WHERE hostname = $1 AND ${IS_SERVED}`,
    [hostname],
  );
  return rows[0];
}

/**
 * Makes the next check of a domain due now. Returns false when there is no need: it was checked within a minute, or is
 * doubted or moved, and so is checked often enough. Nobody can hurry the watch of a domain by asking.
 */
export async function hastenCheck(queryable: Queryable, domainId: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `UPDATE domains SET check_at = now()
      WHERE id IN (SELECT id FROM domains
                    WHERE id = $1 AND ${IS_SERVED} AND check_at > now() AND wrong_checks = 0
                      AND (checked_at IS NULL OR checked_at < now() - interval '1 minute')
                      FOR NO KEY UPDATE SKIP LOCKED)`,
    [domainId],
  );
  return rowCount === 1;
}

export interface DomainCounts {
  readonly byStatus: Readonly<Record<string, number>>;
  /** How long the check that is due longest has been due. 0 when none is due. */
  readonly overdueSeconds: number;
}

export async function countDomains(queryable: Queryable): Promise<DomainCounts> {
  const { rows } = await queryable.query<{ status: string; count: number; overdue: number | null }>(
    `SELECT status, count(*) AS count, extract(epoch FROM now() - min(check_at))::float8 AS overdue
       FROM domains GROUP BY status`,
  );
  return {
    byStatus: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
    overdueSeconds: Math.max(0, ...rows.map(({ overdue }) => overdue ?? 0)),
  };
}
