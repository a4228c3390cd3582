/**
 * Ends batches: deletes their rows, lists their stored objects as garbage, counts their URLs, and writes events. The caller has locked the
 * host (`lockHost`).
 */
import type { Transaction } from '../../platform/postgres/database.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
import type { EventData } from '../webhooks/events.ts';
import type { HostWork } from './host-store.ts';

export type BatchEnd = 'submitted' | 'refused' | 'failed';

/** The most batches that one statement ends. A host may have hundreds of thousands of expired ones, and a statement has two seconds. */
const ENDED_AT_ONCE = 5000;

/** Ends batches, and each submission with its last batch. Returns the number of URLs. `message`: the failure, for people. */
export async function endBatches(
  transaction: Transaction,
  work: HostWork,
  ids: readonly number[],
  end: BatchEnd,
  message = '',
): Promise<number> {
  let urlCount = 0;
  for (let i = 0; i < ids.length; i += ENDED_AT_ONCE) {
    urlCount += await endPortion(transaction, work, ids.slice(i, i + ENDED_AT_ONCE), end);
  }
  if (end === 'failed' && urlCount > 0) {
    const { accountId, domainId, hostname: domain, host } = work;
    await emitEvent(transaction, accountId, 'indexnow.failed', { domainId, domain, host, urlCount, message });
  }
  return urlCount;
}

/** Returns the number of URLs. */
async function endPortion(
  transaction: Transaction,
  { accountId, domainId, hostname: domain }: HostWork,
  ids: readonly number[],
  end: BatchEnd,
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
  for (const submission of await countEnded(transaction, ended, end)) {
    const { uploadId, sitemapName, urlsSubmitted, urlsRefused } = submission;
    await emitEvent(transaction, accountId, 'indexnow.completed', {
      ...{ domainId, domain, sitemapName, uploadId, urlsSubmitted, urlsRefused },
    });
  }
  return ended.reduce((sum, batch) => sum + batch.urlCount, 0);
}

/** Discards the objects of batches. The halves of a batch share an object, so the object stays until the last half ends. */
async function discardObjects(transaction: Transaction, objects: readonly string[]): Promise<void> {
  await transaction.query(
    `INSERT INTO garbage (prefix, collect_after)
     SELECT DISTINCT object, now() FROM unnest($1::text[]) AS o (object)
      WHERE NOT EXISTS (SELECT FROM indexnow_batches b WHERE b.object = o.object) ON CONFLICT DO NOTHING`,
    [objects],
  );
}

type CompletedSubmission = Omit<EventData['indexnow.completed'], 'domainId' | 'domain'>;

/** Counts the ended batches, and deletes submissions that are complete now. Returns the complete submissions without a failure. */
async function countEnded(
  transaction: Transaction,
  ended: readonly { readonly submission: number; readonly urlCount: number }[],
  end: BatchEnd,
): Promise<CompletedSubmission[]> {
  await transaction.query(
    // The rows are locked in the order of ids, because other hosts may have batches of the same submissions.
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
