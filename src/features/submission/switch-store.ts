/** The SQL of the switch that turns submission on or off. The caller has locked the domain. */
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';

/** Turns submission on or off. Returns false if nothing changes. */
export async function setIndexNow(
  transaction: Transaction,
  domainId: string,
  isEnabled: boolean,
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'UPDATE domains SET index_now = $2 WHERE id = $1 AND index_now <> $2',
    [domainId, isEnabled],
  );
  return rowCount === 1;
}

/**
 * Ends all pauses of a domain's hosts: waiting batches and checks of key files are due now, and former failures do not count. Returns the
 * number of hosts.
 */
export async function makeAllHostsDue(queryable: Queryable, domainId: string): Promise<number> {
  const { rowCount } = await queryable.query(
    `WITH hosts AS (
       SELECT domain_id, host FROM indexnow_hosts WHERE domain_id = $1 ORDER BY host FOR NO KEY UPDATE
     )
     UPDATE indexnow_hosts h SET due_at = now(), paused_until = NULL, failures = 0
       FROM hosts WHERE h.domain_id = hosts.domain_id AND h.host = hosts.host`,
    [domainId],
  );
  return rowCount ?? 0;
}

/** Drops all batches of a domain. The workers of its hosts lose their leases. Verified hosts stay verified. */
export async function dropBatches(transaction: Transaction, domainId: string): Promise<void> {
  await transaction.query(
    `WITH hosts AS (
       SELECT domain_id, host FROM indexnow_hosts WHERE domain_id = $1 ORDER BY host FOR NO KEY UPDATE
     )
     UPDATE indexnow_hosts h SET due_at = NULL, paused_until = NULL, leased_until = NULL, fence = fence + 1
       FROM hosts WHERE h.domain_id = hosts.domain_id AND h.host = hosts.host`,
    [domainId],
  );
  // Of each of 100 hosts, 10,000 batches may wait.
  await transaction.query(
    slowStatement(
      `WITH dropped AS (DELETE FROM indexnow_batches WHERE domain_id = $1 RETURNING object)
       INSERT INTO garbage (prefix, collect_after) SELECT DISTINCT object, now() FROM dropped ON CONFLICT DO NOTHING`,
      [domainId],
    ),
  );
  await transaction.query(slowStatement('DELETE FROM indexnow_submissions WHERE domain_id = $1', [domainId]));
}
