/**
 * The SQL of due comparisons. A comparison is due while a sitemap's live upload is not the upload that was compared last. It may be taken
 * from the time `compare_at` on. A process takes a comparison with a lease. It changes nothing after another process has taken the lease.
 */
import type { Queryable } from '../../platform/postgres/database.ts';
import { isFree, LeaseLost, leasedFor } from '../../platform/postgres/lease.ts';
import { firstRow, onlyRow } from '../../platform/postgres/rows.ts';
import { LARGE_LANE, SMALL_LANE, SMALL_URLS } from '../sites/due-comparison.ts';
import { UPLOADS_PREFIX } from '../sites/site.ts';
import { indexNext } from '../sites/url-indexes.ts';
import type { Comparison } from './comparison.ts';

/** A sitemap whose live upload is to be compared, and the lease on it. */
export interface DueComparison extends Omit<Comparison, 'formerUploadId'> {
  /** Null: no upload was compared before. */
  readonly formerUploadId: string | null;
  readonly fence: number;
  /** The number of attempts to compare this upload, with the present attempt. Attempts that ended without a fault are left out. */
  readonly attempts: number;
}

export interface DueCounts {
  readonly due: number;
  /** The age of the oldest due comparison, in seconds; 0 if none is due. */
  readonly oldestSeconds: number;
}

/**
 * Returns SQL for the upload of the sitemap `s` that a comparison compares. It is the live upload. But if the live upload is a delta, it is
 * the last upload below the delta that is no delta, because the changes of deltas are known (docs/decisions/0058). If the upload below is
 * withdrawn or its files are being deleted, the comparison compares the delta itself.
 */
const comparedNext = (s: string) => `coalesce(
  (SELECT w.id FROM uploads u JOIN uploads w ON w.id = u.delta_of AND NOT w.withdrawn
    WHERE u.id = ${s}.upload_id
      AND NOT EXISTS (SELECT FROM garbage g WHERE g.prefix = '${UPLOADS_PREFIX}' || w.id || '/' AND g.ended_at IS NOT NULL)),
  ${s}.upload_id)`;

/** The comparison of a dead process is free again after this time. */
export const LEASE_MS = 60_000;
const LEASED = `comparing_until = ${leasedFor(LEASE_MS)}, compare_at = ${leasedFor(LEASE_MS)}`;

interface TakeOptions {
  /** The lane as in `features/sites/due-comparison.ts`. */
  readonly lane: number;
  /** The account that had the last turn. Accounts take turns in the order of their ids. */
  readonly after: string;
}

/** Takes the oldest due comparison of the next account in turn. */
export async function takeDueComparison(
  queryable: Queryable,
  { lane, after }: TakeOptions,
): Promise<DueComparison | undefined> {
  const taken = await takeAfter(queryable, lane, after);
  return taken ?? (after === '' ? undefined : takeAfter(queryable, lane, ''));
}

/**
 * Steps through the index, one account at a time, until a comparison can be taken. Each look-up is LATERAL with a LIMIT. So Postgres never
 * scans the table, even if its estimates of rows are wrong.
 */
function takeAfter(queryable: Queryable, lane: number, after: string): Promise<DueComparison | undefined> {
  const nextAccount = (than: string) => `
    SELECT compare_account AS account, compare_at FROM sitemaps
     WHERE compare_lane = $1 AND compare_at IS NOT NULL AND compare_account > ${than}
     ORDER BY compare_lane, compare_account, compare_at LIMIT 1`;
  return firstRow<DueComparison>(queryable, {
    name: 'take-due-comparison',
    text: `WITH RECURSIVE turn AS (
       (${nextAccount('$2')})
       UNION ALL SELECT n.* FROM turn CROSS JOIN LATERAL (${nextAccount('turn.account')}) n
     ), next AS MATERIALIZED (
       SELECT s.domain_id, s.name, turn.account, d.hostname, ${comparedNext('s')} AS upload_id
         FROM turn
              CROSS JOIN LATERAL (SELECT FROM accounts WHERE id = turn.account AND suspended_at IS NULL LIMIT 1) a
              CROSS JOIN LATERAL (
                SELECT domain_id, name, upload_id FROM sitemaps
                 WHERE compare_lane = $1 AND compare_account = turn.account AND compare_at <= now() AND compare_at IS NOT NULL
                   -- A process of the previous version may work on this comparison, or may have ended it. It ignores compare_at.
                   AND ${isFree('comparing_until')} AND compared_upload_id IS DISTINCT FROM upload_id
                 ORDER BY compare_lane, compare_account, compare_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) s
              CROSS JOIN LATERAL (SELECT hostname FROM domains WHERE id = s.domain_id LIMIT 1) d
        WHERE turn.compare_at <= now() LIMIT 1
     )
     UPDATE sitemaps AS s
        SET ${LEASED}, compare_fence = compare_fence + 1,
            compare_attempts = CASE WHEN s.comparing_upload_id = next.upload_id THEN s.compare_attempts + 1 ELSE 1 END,
            comparing_upload_id = next.upload_id
       FROM next
      WHERE s.domain_id = next.domain_id AND s.name = next.name
  RETURNING next.account AS "accountId", s.domain_id AS "domainId", next.hostname, s.name AS "sitemapName",
            next.upload_id AS "uploadId", s.compared_upload_id AS "formerUploadId", s.compare_fence AS fence,
            s.compare_attempts AS attempts`,
    values: [lane, after],
  });
}

type Lease = Pick<DueComparison, 'domainId' | 'sitemapName' | 'uploadId' | 'fence'>;

/** Extends the lease. Throws LeaseLost if another process has the lease, or if another upload is to be compared. */
export async function renewComparison(queryable: Queryable, lease: Lease): Promise<void> {
  const { rowCount } = await queryable.query(
    `UPDATE sitemaps AS s SET ${LEASED} WHERE ${IS_OURS} AND ${comparedNext('s')} = $4`,
    [...identityOf(lease), lease.uploadId],
  );
  if (rowCount !== 1) throw new LeaseLost('the comparison is out of date');
}

/**
 * Ends the lease. The comparison is due again in `delayMs`. If a newer upload is to be compared, its comparison is due at once. `isFault`:
 * false if the attempt does not count, because it was stopped, or because the store or the database failed.
 */
export async function postponeComparison(
  queryable: Queryable,
  lease: Lease,
  { delayMs, isFault }: { delayMs: number; isFault: boolean },
): Promise<void> {
  await queryable.query(
    `UPDATE sitemaps AS s
        SET comparing_until = NULL, compare_after = now() + $4 * interval '1 millisecond',
            compare_at = now() + CASE WHEN ${comparedNext('s')} = $6 THEN $4 ELSE 0 END * interval '1 millisecond',
            compare_attempts = compare_attempts - $5
      WHERE ${IS_OURS}`,
    [...identityOf(lease), delayMs, isFault ? 0 : 1, lease.uploadId],
  );
}

/** Locks the sitemap. Returns the upload that is to be compared; undefined if the lease is lost or the sitemap is gone. */
export async function lockComparison(queryable: Queryable, lease: Lease): Promise<string | undefined> {
  const { rows } = await queryable.query<{ uploadId: string }>(
    `SELECT ${comparedNext('s')} AS "uploadId" FROM sitemaps s WHERE ${IS_OURS} FOR NO KEY UPDATE`,
    identityOf(lease),
  );
  return rows[0]?.uploadId;
}

/**
 * Makes the live upload the base of the next comparison, and makes its index of URLs due. The live upload is the compared upload or the
 * last delta on it. Call `lockComparison` before.
 */
export async function endComparison(queryable: Queryable, lease: Lease): Promise<void> {
  await queryable.query(
    `WITH indexed AS (${indexNext('(SELECT upload_id FROM sitemaps WHERE domain_id = $1 AND name = $2)')})
     UPDATE sitemaps
        SET compared_upload_id = upload_id, compared_at = now(), comparing_until = NULL, compare_after = NULL, compare_at = NULL
      WHERE ${IS_OURS}`,
    identityOf(lease),
  );
}

/** Counts due comparisons. Leaves out comparisons of suspended accounts, because they wait. */
export function countDueComparisons(queryable: Queryable) {
  return onlyRow<DueCounts>(
    queryable,
    `SELECT count(*) AS due, coalesce(max(extract(epoch FROM now() - s.updated_at)), 0)::float8 AS "oldestSeconds"
       FROM sitemaps s
      WHERE s.compare_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = s.compare_account AND a.suspended_at IS NOT NULL)`,
  );
}

/** The most comparisons that one statement queues. */
const QUEUED_AT_ONCE = 500;

/**
 * Queues comparisons that processes of the previous version made due, and takes comparisons that these processes have ended out of the
 * queue. Such processes do not know the queue, which is the column `compare_at`.
 */
export async function sweepComparisons(queryable: Queryable): Promise<void> {
  await queryable.query(
    'UPDATE sitemaps SET compare_at = NULL WHERE compare_at IS NOT NULL AND compared_upload_id = upload_id',
  );
  for (;;) {
    const { rowCount } = await queryable.query(
      `WITH missed AS MATERIALIZED (
         SELECT domain_id, name FROM sitemaps
          WHERE compared_upload_id IS DISTINCT FROM upload_id AND compare_at IS NULL
          ORDER BY upload_id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
       ), counted AS MATERIALIZED (
         SELECT m.domain_id, m.name, d.account_id, live.url_count + coalesce(former.url_count, 0) AS urls
           FROM missed m
                CROSS JOIN LATERAL (SELECT upload_id, compared_upload_id FROM sitemaps
                                     WHERE domain_id = m.domain_id AND name = m.name LIMIT 1) s
                CROSS JOIN LATERAL (SELECT account_id FROM domains WHERE id = m.domain_id LIMIT 1) d
                CROSS JOIN LATERAL (SELECT url_count FROM uploads WHERE id = s.upload_id LIMIT 1) live
                LEFT JOIN LATERAL (SELECT url_count FROM uploads WHERE id = s.compared_upload_id LIMIT 1) former ON true
       )
       UPDATE sitemaps s
          SET compare_at = greatest(now(), comparing_until, compare_after), compare_account = counted.account_id,
              compare_lane = CASE WHEN counted.urls > $2 THEN ${LARGE_LANE} ELSE ${SMALL_LANE} END
         FROM counted WHERE s.domain_id = counted.domain_id AND s.name = counted.name`,
      [QUEUED_AT_ONCE, SMALL_URLS],
    );
    if (rowCount !== QUEUED_AT_ONCE) return;
  }
}

const IS_OURS = 'domain_id = $1 AND name = $2 AND compare_fence = $3';
const identityOf = ({ domainId, sitemapName, fence }: Lease) => [domainId, sitemapName, fence];
