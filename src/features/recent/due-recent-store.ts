/**
 * The SQL of domains whose recent files are due to be written. A domain becomes due by `due_at`, gets into the queue of its account, and
 * is taken from there with a lease. Nearly every domain with changes has a `due_at`, so the turns of accounts need the queue.
 */
import type { Queryable } from '../../platform/postgres/database.ts';
import { isFree, LeaseLost, leasedFor } from '../../platform/postgres/lease.ts';
import { firstRow } from '../../platform/postgres/rows.ts';
import { IS_SERVED } from '../domains/served-domain-store.ts';

/** A domain whose recent files are to be written, and the lease on the domain. */
export interface DueRecent {
  readonly domainId: string;
  /** The account that has the turn. */
  readonly accountId: string;
  readonly hostname: string;
  readonly hours: number;
  /** Whether the site of the domain has a certificate. */
  readonly isSecure: boolean;
  readonly isServed: boolean;
  readonly fence: number;
}

/** The work of a dead process is due again after this time. */
export const LEASE_MS = 60_000;

/** The most domains that one look puts into the queue. A look takes one domain, so the queue grows faster than it is worked off. */
const QUEUED_AT_ONCE = 500;

/** Puts domains that have become due into the queue of their accounts. */
async function queueDueRecent(queryable: Queryable): Promise<void> {
  await queryable.query({
    name: 'queue-due-recent',
    text: `WITH next AS MATERIALIZED (
             SELECT domain_id FROM recent_sitemaps WHERE due_at <= now() AND queue_account IS NULL
              ORDER BY due_at LIMIT ${QUEUED_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED
           )
           UPDATE recent_sitemaps AS r SET queue_account = d.account_id
             FROM next CROSS JOIN LATERAL (SELECT account_id FROM domains WHERE id = next.domain_id LIMIT 1) d
            WHERE r.domain_id = next.domain_id`,
  });
}

/**
 * Takes a domain whose recent files are due: of the domains of the first account after `after`, the one that has been due for longest. So
 * accounts take turns in the order of their ids, and the many domains of one account hold up no other account. Returns undefined if none is
 * due.
 */
export async function takeDueRecent(queryable: Queryable, after = ''): Promise<DueRecent | undefined> {
  await queueDueRecent(queryable);
  const taken = await takeAfter(queryable, after);
  return taken ?? (after === '' ? undefined : takeAfter(queryable, ''));
}

/** Steps through the queue, one account at a time, until a domain can be taken. */
function takeAfter(queryable: Queryable, after: string): Promise<DueRecent | undefined> {
  const nextAccount = (than: string) => `
    SELECT queue_account AS account FROM recent_sitemaps
     WHERE queue_account > ${than} ORDER BY queue_account, due_at LIMIT 1`;
  return firstRow<DueRecent>(queryable, {
    name: 'take-due-recent',
    text: `WITH RECURSIVE turn AS (
             (${nextAccount('$1')})
             UNION ALL SELECT n.* FROM turn CROSS JOIN LATERAL (${nextAccount('turn.account')}) n
           ), next AS MATERIALIZED (
             SELECT r.domain_id, turn.account FROM turn CROSS JOIN LATERAL (
               SELECT domain_id FROM recent_sitemaps
                WHERE queue_account = turn.account AND due_at <= now() AND ${isFree('leased_until')}
                ORDER BY queue_account, due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) r
              LIMIT 1
           )
           UPDATE recent_sitemaps AS r SET leased_until = ${leasedFor(LEASE_MS)}, fence = fence + 1
             FROM next, domains d
            WHERE r.domain_id = next.domain_id AND d.id = next.domain_id
        RETURNING r.domain_id AS "domainId", next.account AS "accountId", d.hostname, d.recent_hours AS hours,
                  d.ssl_status = 'active' AS "isSecure", ${IS_SERVED} AS "isServed", r.fence`,
    values: [after],
  });
}

export type Lease = Pick<DueRecent, 'domainId' | 'fence'>;
export const IS_OURS = 'domain_id = $1 AND fence = $2';
/** SQL: ends the lease, and takes the domain out of the queue. */
export const NO_TURN = 'leased_until = NULL, queue_account = NULL';
export const leaseLost = () =>
  new LeaseLost('another process has the recent files, or they were switched off');

/** Extends the lease. Throws LeaseLost. */
export async function renewRecent(queryable: Queryable, { domainId, fence }: Lease): Promise<void> {
  const { rowCount } = await queryable.query(
    `UPDATE recent_sitemaps SET leased_until = ${leasedFor(LEASE_MS)} WHERE ${IS_OURS}`,
    [domainId, fence],
  );
  if (rowCount !== 1) throw leaseLost();
}

/** Gives the lease back: the domain is due again in `delayMs`. */
export async function postponeRecent(
  queryable: Queryable,
  { domainId, fence }: Lease,
  delayMs: number,
): Promise<void> {
  await queryable.query(
    `UPDATE recent_sitemaps SET ${NO_TURN}, due_at = now() + $3 * interval '1 millisecond' WHERE ${IS_OURS}`,
    [domainId, fence, delayMs],
  );
}
