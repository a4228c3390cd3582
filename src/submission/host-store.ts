/**
 * The SQL of page hosts: whose turn it is, what their checks found. A worker has the lease of a host, and names its fence in
 * each change, so a former worker changes nothing. All times are by the clock of the database.
 */
import { type Queryable, slowStatement, type Transaction } from '../platform/postgres/database.ts';
import type { HostKey } from './check-key.ts';

/** In seconds. It is longer than a request and all that comes before and after it. */
export const LEASE_S = 60;
/** Of one account, at once. A check of a host that hangs takes 10 s. */
const MAX_PER_ACCOUNT = 3;

/** A host whose lease we have. */
export interface HostWork extends HostKey {
  readonly domainId: string;
  readonly accountId: string;
  /** Of the domain. */
  readonly hostname: string;
  readonly isInSite: boolean;
  readonly isVerified: boolean;
  readonly failures: number;
  readonly fence: number;
}

/** Another process has the host, or it is gone. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Of hosts that are due, however many they are. */
const LOOKED_AT = 500;

/** Takes hosts that are due, of accounts in turn. Processes that take at the same time get different ones. */
export async function takeHosts(queryable: Queryable, limit: number): Promise<HostWork[]> {
  const { rows } = await queryable.query<HostWork>(
    // Materialized: a plan that runs it twice takes more than the limit.
    `WITH busy AS MATERIALIZED (
       SELECT account_id, count(*) AS hosts FROM indexnow_hosts WHERE leased_until > now() GROUP BY account_id
     ), waiting AS MATERIALIZED (
       SELECT h.domain_id, h.host, h.due_at, coalesce(busy.hosts, 0)
                + row_number() OVER (PARTITION BY h.account_id ORDER BY h.due_at) AS turn
         -- Not all that are due: the oldest ones. Accounts that have all their turns would fill them.
         FROM (SELECT h.domain_id, h.host, h.account_id, h.due_at
                 FROM indexnow_hosts h
                      CROSS JOIN LATERAL (SELECT FROM domains WHERE id = h.domain_id AND index_now LIMIT 1) d
                      CROSS JOIN LATERAL (SELECT FROM accounts WHERE id = h.account_id AND suspended_at IS NULL LIMIT 1) a
                WHERE h.due_at <= now() AND coalesce(h.leased_until <= now(), true)
                  AND h.account_id <> ALL (ARRAY(SELECT account_id FROM busy WHERE hosts >= $3))
                ORDER BY h.due_at LIMIT ${LOOKED_AT}) h
              LEFT JOIN busy ON busy.account_id = h.account_id
     ), due AS MATERIALIZED (
       SELECT h.* FROM (SELECT * FROM waiting WHERE turn <= $3 ORDER BY turn, due_at) AS w
              CROSS JOIN LATERAL (
                SELECT domain_id, host FROM indexnow_hosts
                 WHERE domain_id = w.domain_id AND host = w.host AND due_at <= now() AND coalesce(leased_until <= now(), true)
                 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) h
        LIMIT $1
     )
     UPDATE indexnow_hosts h SET fence = h.fence + 1, leased_until = now() + $2 * interval '1 second'
       FROM due JOIN domains d ON d.id = due.domain_id
      WHERE h.domain_id = due.domain_id AND h.host = due.host
     RETURNING h.domain_id AS "domainId", h.account_id AS "accountId", d.hostname, h.host, h.scheme, h.key,
               h.is_in_site AS "isInSite", h.verified_at IS NOT NULL AS "isVerified", h.failures, h.fence`,
    [limit, LEASE_S, MAX_PER_ACCOUNT],
  );
  return rows;
}

type Lease = Pick<HostWork, 'domainId' | 'host' | 'fence'>;

/**
 * First in every transaction of a worker. Whoever adds batches has locked the host before, so what a later statement sees
 * of its batches is complete. Throws LeaseLost.
 */
export async function lockHost(transaction: Transaction, { domainId, host, fence }: Lease): Promise<void> {
  const { rowCount } = await transaction.query(
    slowStatement(
      'SELECT FROM indexnow_hosts WHERE domain_id = $1 AND host = $2 AND fence = $3 FOR NO KEY UPDATE',
      [domainId, host, fence],
    ),
  );
  if (rowCount !== 1) throw new LeaseLost(`another process works on ${host}, or it is gone`);
}

/** Ends the lease. `values` begin with $3. */
export async function releaseHost(
  transaction: Transaction,
  { domainId, host }: Lease,
  set: string,
  values: readonly unknown[] = [],
): Promise<void> {
  await transaction.query(
    `UPDATE indexnow_hosts SET leased_until = NULL, ${set} WHERE domain_id = $1 AND host = $2`,
    [domainId, host, ...values],
  );
}

/** The host has the file: what waits is due now. `failures` stay, because the search engine may not find the file yet. */
export const VERIFIED = 'verified_at = now(), problem = NULL, paused_until = NULL, due_at = now()';
/** `$3`: the problem. `$4`: until the next check, in milliseconds. */
export const UNVERIFIED = `verified_at = NULL, problem = $3, failures = failures + 1,
  due_at = now() + $4 * interval '1 millisecond', paused_until = now() + $4 * interval '1 millisecond'`;

/** The result of a check that the customer asked for. */
export async function recordVerification(
  queryable: Queryable,
  { domainId, host }: { readonly domainId: string; readonly host: string },
  problem: string | null,
  nextMs: number,
): Promise<void> {
  await queryable.query(
    `UPDATE indexnow_hosts SET failures = 0, problem = $3, verified_at = CASE WHEN $3::text IS NULL THEN now() END,
            paused_until = NULL,
            due_at = CASE WHEN $3::text IS NULL THEN now() ELSE now() + $4 * interval '1 millisecond' END
      WHERE domain_id = $1 AND host = $2`,
    [domainId, host, problem, nextMs],
  );
}

/** site.json names all keys of the domain when the transaction has committed and the site is written. */
export async function markInSite(transaction: Transaction, domainId: string): Promise<void> {
  await transaction.query('UPDATE indexnow_hosts SET is_in_site = true WHERE domain_id = $1', [domainId]);
}

export interface ListedHost extends HostKey {
  readonly isInSite: boolean;
  readonly isVerified: boolean;
  readonly problem: string | null;
  /** URLs that wait. */
  readonly queued: number;
  readonly sentToday: number;
  readonly lastStatus: number | null;
  readonly lastSubmittedAt: Date | null;
  /** Null when there is no pause. */
  readonly pausedUntil: Date | null;
}

/** Sorted by host. `host`: only this one. */
export async function listHosts(
  queryable: Queryable,
  domainId: string,
  host?: string,
): Promise<ListedHost[]> {
  const { rows } = await queryable.query<ListedHost>(
    `SELECT h.host, h.scheme, h.key, h.is_in_site AS "isInSite", h.verified_at IS NOT NULL AS "isVerified", h.problem,
            coalesce((SELECT sum(url_count) FROM indexnow_batches b
                       WHERE b.domain_id = h.domain_id AND b.host = h.host), 0)::bigint AS queued,
            CASE WHEN h.sent_on = ${TODAY} THEN h.sent_urls ELSE 0 END AS "sentToday",
            h.last_status AS "lastStatus", h.last_submitted_at AS "lastSubmittedAt",
            CASE WHEN h.paused_until > now() THEN h.paused_until END AS "pausedUntil"
       FROM indexnow_hosts h WHERE domain_id = $1 AND ($2::text IS NULL OR host = $2) ORDER BY host`,
    [domainId, host ?? null],
  );
  return rows;
}

/** In UTC. */
export const TODAY = `(now() AT TIME ZONE 'UTC')::date`;
