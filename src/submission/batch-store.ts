/**
 * The SQL of batches: which is next, and how each ends. The caller has locked the host (`lockHost`). Locks are taken in the
 * order host, batch, submission.
 */
import type { Queryable, Transaction } from '../platform/postgres/database.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
import { type HostWork, LEASE_S, LeaseLost, TODAY } from './host-store.ts';
import { MAX_AGE_DAYS, MAX_WAITING_BATCHES } from './limits.ts';

export interface Batch {
  readonly id: number;
  readonly object: string;
  /** The URLs `first` to `first + urlCount` of the object, counted from 0. */
  readonly first: number;
  readonly urlCount: number;
  /** Requests whose answer nobody recorded. */
  readonly unanswered: number;
}

export type BatchEnd = 'submitted' | 'refused' | 'failed';

/**
 * Those that never failed come first, then the newest: search engines want what is fresh, and the older changes are in the
 * sitemap.
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

/** What the host may still submit today. */
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

/** Leaves the first `count` URLs in the batch. The others become a batch of their own. Returns the first. */
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

/** Call it just before the request, which must end within the lease that this renews. Throws LeaseLost. */
export async function markSending(
  queryable: Queryable,
  { domainId, host, fence }: HostWork,
  { id }: Batch,
): Promise<void> {
  const { rowCount } = await queryable.query(
    `WITH host AS (
       UPDATE indexnow_hosts SET leased_until = now() + $4 * interval '1 second'
        WHERE domain_id = $1 AND host = $2 AND fence = $3 RETURNING host
     )
     UPDATE indexnow_batches b SET unanswered = unanswered + 1 FROM host WHERE b.id = $5`,
    [domainId, host, fence, LEASE_S, id],
  );
  if (rowCount !== 1) throw new LeaseLost(`another process submits the URLs of ${host}, or they are gone`);
}

/** It is tried again. `hasFailed`: after the others. */
export async function keepBatch(transaction: Transaction, { id }: Batch, hasFailed: boolean): Promise<void> {
  await transaction.query(
    'UPDATE indexnow_batches SET unanswered = 0, attempts = attempts + $2::int WHERE id = $1',
    [id, hasFailed ? 1 : 0],
  );
}

/** Batches that nobody will submit: too old, or too many. */
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

/**
 * Ends batches, and with the last of its batches a submission. Returns the number of URLs. `message`: what failed, for
 * people.
 */
export async function endBatches(
  transaction: Transaction,
  { accountId, domainId, hostname, host }: HostWork,
  ids: readonly number[],
  end: BatchEnd,
  message = '',
): Promise<number> {
  const { rows: ended } = await transaction.query<{ submission: number; object: string; urlCount: number }>(
    `DELETE FROM indexnow_batches WHERE id = ANY($1::bigint[])
     RETURNING submission_id AS submission, object, url_count AS "urlCount"`,
    [ids],
  );
  await discardObjects(
    transaction,
    ended.map(({ object }) => object),
  );
  const domain = { domainId, domain: hostname };
  const urlCount = ended.reduce((sum, batch) => sum + batch.urlCount, 0);
  if (end === 'failed' && urlCount > 0) {
    await emitEvent(transaction, accountId, 'indexnow.failed', { ...domain, host, urlCount, message });
  }
  for (const submission of await countEnded(transaction, ended, end)) {
    const { uploadId, sitemapName, urlsSubmitted, urlsRefused } = submission;
    await emitEvent(transaction, accountId, 'indexnow.completed', {
      ...domain,
      ...{ sitemapName, uploadId, urlsSubmitted, urlsRefused },
    });
  }
  return urlCount;
}

/** The halves of a batch share an object. It goes with the last of them. */
async function discardObjects(transaction: Transaction, objects: readonly string[]): Promise<void> {
  await transaction.query(
    `INSERT INTO garbage (prefix, collect_after)
     SELECT DISTINCT object, now() FROM unnest($1::text[]) AS o (object)
      WHERE NOT EXISTS (SELECT FROM indexnow_batches b WHERE b.object = o.object) ON CONFLICT DO NOTHING`,
    [objects],
  );
}

interface CompletedSubmission {
  readonly uploadId: string;
  readonly sitemapName: string;
  readonly urlsSubmitted: number;
  readonly urlsRefused: number;
}

/** Returns the submissions that are complete now and of which nothing failed. */
async function countEnded(
  transaction: Transaction,
  ended: readonly { readonly submission: number; readonly urlCount: number }[],
  end: BatchEnd,
): Promise<CompletedSubmission[]> {
  await transaction.query(
    // Locked in the order of ids: other hosts may have batches of the same submissions.
    `WITH locked AS MATERIALIZED (
       SELECT id FROM indexnow_submissions WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE
     ), ended AS (
       SELECT submission, count(*) AS batches, sum(urls) AS urls
         FROM unnest($1::bigint[], $2::bigint[]) AS e (submission, urls) GROUP BY submission
     )
     UPDATE indexnow_submissions s SET batches_left = batches_left - ended.batches, urls_${end} = urls_${end} + ended.urls
       FROM ended JOIN locked ON locked.id = ended.submission WHERE s.id = ended.submission`,
    [ended.map(({ submission }) => submission), ended.map(({ urlCount }) => urlCount)],
  );
  const { rows } = await transaction.query<CompletedSubmission & { failed: number }>(
    `DELETE FROM indexnow_submissions WHERE id = ANY($1::bigint[]) AND batches_left = 0
     RETURNING upload_id AS "uploadId", sitemap_name AS "sitemapName", urls_submitted AS "urlsSubmitted",
               urls_refused AS "urlsRefused", urls_failed AS failed`,
    [ended.map(({ submission }) => submission)],
  );
  return rows.filter(({ failed }) => failed === 0);
}
