/**
 * The SQL that finds, splits, marks and keeps waiting batches. Except in `markSending`, the caller has locked the host (`lockHost`). Locks
 * are taken in the order host, batch, submission.
 */
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { LeaseLost, leasedFor } from '../../platform/postgres/lease.ts';
import { type HostWork, LEASE_MS, TODAY } from './host-store.ts';
import { MAX_AGE_DAYS, MAX_WAITING_BATCHES } from './limits.ts';

export interface Batch {
  readonly id: number;
  readonly object: string;
  /** The place of the first URL in the stored object, from 0. The batch has `urlCount` URLs from there on. */
  readonly first: number;
  readonly urlCount: number;
  /** The number of requests whose answer was not recorded. */
  readonly unanswered: number;
}

/**
 * Finds the next batch. Batches that failed least often come first, and of these the newest: search engines want fresh changes, and find
 * older changes in the sitemap.
 */
export async function findNextBatch(
  transaction: Transaction,
  { domainId, host }: HostWork,
): Promise<Batch | undefined> {
  const { rows } = await transaction.query<Batch>(
    `SELECT id, object, first, url_count AS "urlCount", unanswered FROM indexnow_batches
      WHERE domain_id = $1 AND host = $2 ORDER BY attempts, created_at DESC, id LIMIT 1`,
    [domainId, host],
  );
  return rows[0];
}

/** Returns the number of URLs that the host may still submit today. */
export async function findBudget(
  transaction: Transaction,
  { domainId, host }: HostWork,
  urlsPerDay: number,
): Promise<number> {
  const { rows } = await transaction.query<{ left: number }>(
    `SELECT greatest(0, $3 - CASE WHEN sent_on = ${TODAY} THEN sent_urls ELSE 0 END)::int AS left
       FROM indexnow_hosts WHERE domain_id = $1 AND host = $2`,
    [domainId, host, urlsPerDay],
  );
  return rows[0]!.left;
}

/** Leaves the first `count` URLs in the batch, and makes another batch of the rest. Returns the first batch. */
export async function splitBatch(transaction: Transaction, batch: Batch, count: number): Promise<Batch> {
  await transaction.query(
    `WITH first AS (
       UPDATE indexnow_batches SET url_count = $2 WHERE id = $1 RETURNING *
     ), second AS (
       INSERT INTO indexnow_batches (submission_id, domain_id, host, object, first, url_count, created_at, attempts)
       SELECT submission_id, domain_id, host, object, first + $2, $3, created_at, attempts FROM first
     )
     UPDATE indexnow_submissions s SET batches_left = batches_left + 1 FROM first WHERE s.id = first.submission_id`,
    [batch.id, count, batch.urlCount - count],
  );
  return { ...batch, urlCount: count };
}

/**
 * Marks a batch as being sent, and renews the lease. Call this just before the request, which must end within the lease. Throws LeaseLost.
 */
export async function markSending(
  queryable: Queryable,
  { domainId, host, fence }: HostWork,
  { id }: Batch,
): Promise<void> {
  const { rowCount } = await queryable.query(
    `WITH host AS (
       UPDATE indexnow_hosts SET leased_until = ${leasedFor('$4')}
        WHERE domain_id = $1 AND host = $2 AND fence = $3 RETURNING host
     )
     UPDATE indexnow_batches b SET unanswered = unanswered + 1 FROM host WHERE b.id = $5`,
    [domainId, host, fence, LEASE_MS, id],
  );
  if (rowCount !== 1) throw new LeaseLost(`another process submits the URLs of ${host}, or they are gone`);
}

/** Keeps a batch for another attempt. `hasFailed`: puts it behind the batches that have failed less often. */
export async function keepBatch(transaction: Transaction, { id }: Batch, hasFailed: boolean): Promise<void> {
  await transaction.query(
    'UPDATE indexnow_batches SET unanswered = 0, attempts = attempts + $2::int WHERE id = $1',
    [id, hasFailed ? 1 : 0],
  );
}

/** Lists the batches that are not submitted any more, because they are too old or too many. */
export async function listExpiredBatches(
  transaction: Transaction,
  { domainId, host }: HostWork,
): Promise<number[]> {
  const { rows } = await transaction.query<{ id: number }>(
    `SELECT id FROM (
       SELECT id, created_at, row_number() OVER (ORDER BY created_at DESC, id) AS place
         FROM indexnow_batches WHERE domain_id = $1 AND host = $2) AS b
      WHERE created_at < now() - $3 * interval '1 day' OR place > $4`,
    [domainId, host, MAX_AGE_DAYS, MAX_WAITING_BATCHES],
  );
  return rows.map(({ id }) => id);
}
