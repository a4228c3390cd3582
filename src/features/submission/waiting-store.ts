/** The SQL of waiting submissions, as operators see them. */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { isFree } from '../../platform/postgres/lease.ts';
import { allRows, onlyRow } from '../../platform/postgres/rows.ts';

export interface WaitingCounts {
  readonly batches: number;
  readonly urls: number;
  /** The longest time for which a host with waiting batches has been due without a worker, in seconds; 0 when no such host is due. */
  readonly overdueSeconds: number;
  /** The number of hosts with waiting batches whose key file is not verified. */
  readonly unverifiedHosts: number;
}

export function countWaiting(queryable: Queryable) {
  return onlyRow<WaitingCounts>(
    queryable,
    slowStatement(
      `SELECT count(*) AS batches, coalesce(sum(b.url_count), 0)::bigint AS urls,
              count(DISTINCT (h.domain_id, h.host)) FILTER (WHERE h.verified_at IS NULL) AS "unverifiedHosts",
              greatest(0, extract(epoch FROM now() - min(h.due_at)
                FILTER (WHERE d.index_now AND a.suspended_at IS NULL AND ${isFree('h.leased_until')})
              ))::float8 AS "overdueSeconds"
         FROM indexnow_batches b JOIN indexnow_hosts h USING (domain_id, host)
              JOIN domains d ON d.id = h.domain_id JOIN accounts a ON a.id = h.account_id`,
      [],
    ),
  );
}

export interface WaitingHost {
  readonly hostname: string;
  readonly accountId: string;
  readonly host: string;
  readonly isVerified: boolean;
  readonly batches: number;
  readonly urls: number;
  readonly failures: number;
  readonly lastStatus: number | null;
  readonly lastSubmittedAt: Date | null;
  readonly dueAt: Date | null;
  readonly problem: string | null;
}

/**
 * Lists hosts, those with the oldest waiting batches first. Hosts without waiting batches come last. `domainId`: only this domain;
 * undefined: all domains.
 */
export function listWaitingHosts(queryable: Queryable, domainId: string | undefined, limit: number) {
  return allRows<WaitingHost>(
    queryable,
    `SELECT d.hostname, h.account_id AS "accountId", h.host, h.verified_at IS NOT NULL AS "isVerified",
            coalesce(b.batches, 0) AS batches, coalesce(b.urls, 0)::bigint AS urls, h.failures,
            h.last_status AS "lastStatus", h.last_submitted_at AS "lastSubmittedAt", h.due_at AS "dueAt", h.problem
       FROM indexnow_hosts h JOIN domains d ON d.id = h.domain_id LEFT JOIN LATERAL (
         SELECT count(*) AS batches, sum(url_count) AS urls, min(created_at) AS oldest
           FROM indexnow_batches b WHERE b.domain_id = h.domain_id AND b.host = h.host) b ON true
      WHERE $1::text IS NULL OR h.domain_id = $1
      ORDER BY b.oldest NULLS LAST, d.hostname, h.host LIMIT $2`,
    [domainId ?? null, limit],
  );
}
