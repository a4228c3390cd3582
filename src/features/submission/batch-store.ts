/**
 * The SQL that finds, splits, marks and keeps waiting batches. Except in `markSending`, the caller has locked the host (`lockHost`). Locks
 * are taken in the order host, batch, submission.
 */
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { LeaseLost, leasedFor } from '../../platform/postgres/lease.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import { type HostWork, LEASE_MS } from './host-store.ts';
import {
  MAX_AGE_DAYS,
  MAX_BATCHES_PER_REQUEST,
  MAX_URLS_PER_BATCH,
  MAX_WAITING_BATCHES,
  MAX_WAITING_URLS,
} from './limits.ts';

export interface Batch {
  readonly id: number;
  readonly object: string;
  /** The place of the first URL in the stored object, from 0. The batch has `urlCount` URLs from there on. */
  readonly first: number;
  readonly urlCount: number;
  /** The number of requests whose answer was not recorded. */
  readonly unanswered: number;
  /** How often the batch failed, or was in a request that was refused. */
  readonly attempts: number;
  /** The most batches in a request with this one. It is halved when such a request is refused. */
  readonly together: number;
}

/**
 * Finds the batches of the next request, with `maxUrls` URLs at most unless the first one has more. Batches that failed least often come
 * first, and of these the newest: search engines want fresh changes, and find older changes in the sitemap. `isForFailed`: batches that
 * have failed come before those that have not.
 */
export async function findNextBatches(
  transaction: Transaction,
  host: HostWork,
  maxUrls = MAX_URLS_PER_BATCH,
  isForFailed = false,
): Promise<Batch[]> {
  const failed = isForFailed ? await listBatches(transaction, host, 1) : [];
  const rows = failed.length > 0 ? failed : await listBatches(transaction, host, 0);
  const [first] = rows;
  if (first === undefined) return [];
  const { attempts, together } = first;
  const batches = [first];
  let urls = first.urlCount;
  for (const batch of rows.slice(1, together)) {
    urls += batch.urlCount;
    if (batch.attempts !== attempts || batch.together !== together || urls > maxUrls) break;
    batches.push(batch);
  }
  return batches;
}

/** Lists the first batches that have failed at least `minAttempts` times. */
function listBatches(transaction: Transaction, { domainId, host }: HostWork, minAttempts: number) {
  return allRows<Batch>(
    transaction,
    `SELECT id, object, first, url_count AS "urlCount", unanswered, attempts, together FROM indexnow_batches
      WHERE domain_id = $1 AND host = $2 AND attempts >= $4 ORDER BY attempts, created_at DESC, id LIMIT $3`,
    [domainId, host, MAX_BATCHES_PER_REQUEST, minAttempts],
  );
}

/** Leaves the first `count` URLs in the batch, and makes another batch of the rest. Returns the first batch. */
export async function splitBatch(transaction: Transaction, batch: Batch, count: number): Promise<Batch> {
  await transaction.query(
    `WITH first AS (
       UPDATE indexnow_batches SET url_count = $2 WHERE id = $1 RETURNING *
     ), second AS (
       INSERT INTO indexnow_batches (submission_id, domain_id, host, object, first, url_count, created_at, attempts, together)
       SELECT submission_id, domain_id, host, object, first + $2, $3, created_at, attempts, together FROM first
     )
     UPDATE indexnow_submissions s SET batches_left = batches_left + 1 FROM first WHERE s.id = first.submission_id`,
    [batch.id, count, batch.urlCount - count],
  );
  return { ...batch, urlCount: count };
}

/**
 * Marks batches as being sent, and renews the lease. Call this just before the request, which must end within the lease. Throws LeaseLost.
 */
export async function markSending(
  queryable: Queryable,
  { domainId, host, fence }: HostWork,
  batches: readonly Batch[],
): Promise<void> {
  const { rowCount } = await queryable.query(
    `WITH host AS (
       UPDATE indexnow_hosts SET leased_until = ${leasedFor('$4')}
        WHERE domain_id = $1 AND host = $2 AND fence = $3 RETURNING host
     )
     UPDATE indexnow_batches b SET unanswered = unanswered + 1 FROM host WHERE b.id = ANY($5::bigint[])`,
    [domainId, host, fence, LEASE_MS, batches.map(({ id }) => id)],
  );
  if (rowCount !== batches.length)
    throw new LeaseLost(`another process submits the URLs of ${host}, or they are gone`);
}

/**
 * Keeps batches for another attempt. `hasFailed`: puts them behind the batches that have failed less often. `together`: how many batches
 * the next request with one of them has at most.
 */
export async function keepBatches(
  transaction: Transaction,
  batches: readonly Batch[],
  { hasFailed, together }: { readonly hasFailed: boolean; readonly together?: number },
): Promise<void> {
  await transaction.query(
    `UPDATE indexnow_batches SET unanswered = 0, attempts = attempts + $2::int, together = coalesce($3, together)
      WHERE id = ANY($1::bigint[])`,
    [batches.map(({ id }) => id), hasFailed ? 1 : 0, together ?? null],
  );
}

/** Lists the batches that are not submitted any more, because they are too old or too many. */
export async function listExpiredBatches(
  transaction: Transaction,
  { domainId, host }: HostWork,
): Promise<number[]> {
  const { rows } = await transaction.query<{ id: number }>(
    slowStatement(
      `SELECT id FROM (
         SELECT id, submission_id, created_at, row_number() OVER newest AS place, sum(url_count) OVER newest AS urls
           FROM indexnow_batches WHERE domain_id = $1 AND host = $2
         WINDOW newest AS (ORDER BY created_at DESC, id ROWS UNBOUNDED PRECEDING)) AS b
        WHERE created_at < now() - $3 * interval '1 day' OR place > $4 OR urls > $5
        -- Others lock submissions in this order, too.
        ORDER BY submission_id`,
      [domainId, host, MAX_AGE_DAYS, MAX_WAITING_BATCHES, MAX_WAITING_URLS],
    ),
  );
  return rows.map(({ id }) => id);
}
