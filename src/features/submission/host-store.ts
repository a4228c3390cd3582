/**
 * The SQL of the hosts whose URLs we submit to IndexNow: which worker takes which host, and the results of checks. A worker leases a host.
 * Each new lease raises the fence of the host. Each transaction of a worker compares this number, so a worker that has lost its lease
 * changes nothing. All times are by the clock of the database.
 */
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { isFree, LeaseLost, leasedFor } from '../../platform/postgres/lease.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import type { HostKey } from './page-host.ts';

/** The lease is longer than a check or a request with the statements around it. Only reads of the store have a timer that renews it. */
export const LEASE_MS = 60_000;
/** The most hosts of one account at once. A check of a host that hangs takes 10 s. */
const MAX_PER_ACCOUNT = 3;

/** A host whose lease we have. */
export interface HostWork extends HostKey {
  readonly domainId: string;
  readonly accountId: string;
  /** The hostname of the domain. */
  readonly hostname: string;
  readonly isInSite: boolean;
  readonly isVerified: boolean;
  /** Whether the host waits before its next check or request. New batches make it due earlier, so that old ones expire. */
  readonly isPaused: boolean;
  readonly failures: number;
  readonly fence: number;
}

/** SQL: whether a host waits. No wait is longer than a day: one that ends much later was begun by a clock that was ahead. */
const IS_PAUSED = `coalesce(h.paused_until > now() AND h.paused_until < now() + interval '36 hours', false)`;

/** The most due hosts that one statement looks at. */
const LOOKED_AT = 500;

/** Takes due hosts. Accounts take turns. Concurrent processes take different hosts. */
export function takeHosts(queryable: Queryable, limit: number) {
  // The parts are materialized: a plan that runs a part twice takes more than the limit.
  return allRows<HostWork>(
    queryable,
    `WITH busy AS MATERIALIZED (
       SELECT account_id, count(*) AS hosts FROM indexnow_hosts
        WHERE leased_until > now() AND NOT ${isFree('leased_until')} GROUP BY account_id
     ), waiting AS MATERIALIZED (
       SELECT h.domain_id, h.host, h.due_at, coalesce(busy.hosts, 0)
                + row_number() OVER (PARTITION BY h.account_id ORDER BY h.due_at) AS turn
         -- Only the oldest due hosts are looked at. Accounts that have all their turns would fill them, so they are left out.
         FROM (SELECT h.domain_id, h.host, h.account_id, h.due_at
                 FROM indexnow_hosts h
                      CROSS JOIN LATERAL (SELECT FROM domains WHERE id = h.domain_id AND index_now LIMIT 1) d
                      CROSS JOIN LATERAL (SELECT FROM accounts WHERE id = h.account_id AND suspended_at IS NULL LIMIT 1) a
                WHERE h.due_at <= now() AND ${isFree('h.leased_until')}
                  AND h.account_id <> ALL (ARRAY(SELECT account_id FROM busy WHERE hosts >= $3))
                ORDER BY h.due_at LIMIT ${LOOKED_AT}) h
              LEFT JOIN busy ON busy.account_id = h.account_id
     ), due AS MATERIALIZED (
       SELECT h.* FROM (SELECT * FROM waiting WHERE turn <= $3 ORDER BY turn, due_at) AS w
              CROSS JOIN LATERAL (
                SELECT domain_id, host FROM indexnow_hosts
                 WHERE domain_id = w.domain_id AND host = w.host AND due_at <= now() AND ${isFree('leased_until')}
                 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) h
        LIMIT $1
     )
     UPDATE indexnow_hosts h SET fence = h.fence + 1, leased_until = ${leasedFor('$2')}
       FROM due JOIN domains d ON d.id = due.domain_id
      WHERE h.domain_id = due.domain_id AND h.host = due.host
     RETURNING h.domain_id AS "domainId", h.account_id AS "accountId", d.hostname, h.host, h.scheme, h.key,
               h.is_in_site AS "isInSite", h.verified_at IS NOT NULL AS "isVerified", ${IS_PAUSED} AS "isPaused", h.failures, h.fence`,
    [limit, LEASE_MS, MAX_PER_ACCOUNT],
  );
}

type Lease = Pick<HostWork, 'domainId' | 'host' | 'fence'>;

/**
 * Locks a host, first in every transaction of a worker. Code that adds batches locks the host too, so later statements see all of the
 * host's batches. Throws LeaseLost.
 */
export async function lockHost(transaction: Transaction, { domainId, host, fence }: Lease): Promise<void> {
  const { rowCount } = await transaction.query(
    slowStatement(
      'SELECT FROM indexnow_hosts WHERE domain_id = $1 AND host = $2 AND fence = $3 FOR NO KEY UPDATE',
      [domainId, host, fence],
    ),
  );
  if (rowCount !== 1) throw leaseLost(host);
}

const leaseLost = (host: string) => new LeaseLost(`another process works on ${host}, or it is gone`);

/** Extends the lease. Throws LeaseLost. */
export async function renewHost(queryable: Queryable, { domainId, host, fence }: Lease): Promise<void> {
  const { rowCount } = await queryable.query(
    `UPDATE indexnow_hosts SET leased_until = ${leasedFor(LEASE_MS)} WHERE domain_id = $1 AND host = $2 AND fence = $3`,
    [domainId, host, fence],
  );
  if (rowCount !== 1) throw leaseLost(host);
}

/** Ends the lease and sets columns. `values` begin with $3. */
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

/** Marks a host whose key file is right. `failures` stay, because the search engine may not find the file yet. */
export const VERIFIED = 'verified_at = now(), problem = NULL, paused_until = NULL, due_at = now()';
/** Marks a host whose key file is wrong. `$3`: the problem. `$4`: the milliseconds until the next check. */
export const UNVERIFIED = `verified_at = NULL, problem = $3, failures = failures + 1,
  due_at = now() + $4 * interval '1 millisecond', paused_until = now() + $4 * interval '1 millisecond'`;

/** Lets a paused host wait on. The pause may have ended meanwhile. */
export const STILL_PAUSED = 'due_at = coalesce(paused_until, now())';

/**
 * SQL: whether the host waits for search engines, and not for its owner: they are down, have asked for time (429), or got a request just
 * now. All accounts have one address there, so checks must not hasten requests. Refused URLs are for the owner to mend.
 */
const WAITS_FOR_OTHERS = '(verified_at IS NOT NULL AND (last_status IN (400, 413, 422)) IS NOT TRUE)';

/**
 * Records the result of a check that the customer asked for. A worker that is checking the host loses the lease, so its late result changes
 * nothing. A worker that is sending a batch keeps the lease, so its answer is recorded, and the batch is not sent twice.
 */
export async function recordVerification(
  transaction: Transaction,
  { domainId, host }: { readonly domainId: string; readonly host: string },
  problem: string | null,
  nextMs: number,
): Promise<void> {
  // `markSending` locks the host too. So the next statement sees each batch that is being sent.
  const { rows } = await transaction.query<{ waits: boolean }>(
    slowStatement(
      `SELECT ${WAITS_FOR_OTHERS} AS waits FROM indexnow_hosts WHERE domain_id = $1 AND host = $2 FOR NO KEY UPDATE`,
      [domainId, host],
    ),
  );
  const waitsOn = problem === null && rows[0]?.waits === true;
  await transaction.query(
    `UPDATE indexnow_hosts SET problem = $3, verified_at = CASE WHEN $3::text IS NULL THEN now() END,
            failures = CASE WHEN $5 THEN failures ELSE 0 END, paused_until = CASE WHEN $5 THEN paused_until END,
            due_at = CASE WHEN $5 THEN due_at WHEN $3::text IS NULL THEN now()
                          ELSE now() + $4 * interval '1 millisecond' END,
            fence = CASE WHEN is_sending THEN fence ELSE fence + 1 END,
            leased_until = CASE WHEN is_sending THEN leased_until END
       FROM (SELECT EXISTS (SELECT FROM indexnow_batches
                             WHERE domain_id = $1 AND host = $2 AND unanswered > 0) AS is_sending) AS batches
      WHERE domain_id = $1 AND host = $2`,
    [domainId, host, problem, nextMs, waitsOn],
  );
}

/** Expects the key file at http, because the owner says so: a host that was named without a scheme has https. A found file stays. */
export async function expectAtHttp(transaction: Transaction, domainId: string, host: string): Promise<void> {
  await transaction.query(
    `UPDATE indexnow_hosts SET scheme = 'http' WHERE domain_id = $1 AND host = $2 AND verified_at IS NULL`,
    [domainId, host],
  );
}

/** Records that site.json names all keys of the domain. Call this function in the change that writes these keys into the site. */
export async function markInSite(transaction: Transaction, domainId: string): Promise<void> {
  await transaction.query('UPDATE indexnow_hosts SET is_in_site = true WHERE domain_id = $1', [domainId]);
}

export interface ListedHost extends HostKey {
  readonly isInSite: boolean;
  readonly isVerified: boolean;
  readonly problem: string | null;
  /** The number of waiting URLs. */
  readonly queued: number;
  readonly sentToday: number;
  readonly lastStatus: number | null;
  readonly lastSubmittedAt: Date | null;
  /** The end of the pause; null when there is none. */
  readonly pausedUntil: Date | null;
}

/** Lists the hosts of a domain, sorted by host. `host`: lists only this host. */
export function listHosts(queryable: Queryable, domainId: string, host?: string) {
  return allRows<ListedHost>(
    queryable,
    `SELECT h.host, h.scheme, h.key, h.is_in_site AS "isInSite", h.verified_at IS NOT NULL AS "isVerified", h.problem,
            coalesce((SELECT sum(url_count) FROM indexnow_batches b
                       WHERE b.domain_id = h.domain_id AND b.host = h.host), 0)::bigint AS queued,
            CASE WHEN h.sent_on = ${TODAY} THEN h.sent_urls ELSE 0 END AS "sentToday",
            h.last_status AS "lastStatus", h.last_submitted_at AS "lastSubmittedAt",
            CASE WHEN h.paused_until > now() THEN h.paused_until END AS "pausedUntil"
       FROM indexnow_hosts h WHERE domain_id = $1 AND ($2::text IS NULL OR host = $2) ORDER BY host`,
    [domainId, host ?? null],
  );
}

/** The date of today in UTC. */
export const TODAY = `(now() AT TIME ZONE 'UTC')::date`;
