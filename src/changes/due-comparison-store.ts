/**
 * The SQL of due comparisons. A comparison is due while a sitemap's live upload is not the one that was last compared. Whoever
 * takes it holds a lease, and changes nothing once another one holds it.
 */
import type { Queryable } from '../platform/postgres/database.ts';

/** A sitemap whose live upload is to be compared, and the lease on it. */
export interface DueComparison {
  readonly accountId: string;
  readonly domainId: string;
  readonly hostname: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly uploadId: string;
  /** Null: there was none. */
  readonly formerUploadId: string | null;
  readonly fence: number;
  /** How often this upload was taken, this time included. */
  readonly attempts: number;
}

export interface DueCounts {
  readonly due: number;
  /** For how long the oldest one has been due; 0 if there is none. */
  readonly oldestSeconds: number;
}

/** In seconds. A dead process holds a comparison for at most so long. */
const LEASE_S = 60;

const IS_DUE = `s.compared_upload_id IS DISTINCT FROM s.upload_id AND a.suspended_at IS NULL`;

export interface TakeOptions {
  /** The accounts take turns, and this one had the last. */
  readonly after: string;
  /** Comparisons of more URLs than this, in both uploads. */
  readonly minUrls: number;
  /** And of so many at most; null: any number. */
  readonly maxUrls: number | null;
  /** Between two comparisons of a sitemap. */
  readonly pauseMs: number;
}

/** Takes the oldest one of the account whose turn it is. */
export async function takeDueComparison(
  queryable: Queryable,
  { after, minUrls, maxUrls, pauseMs }: TakeOptions,
): Promise<DueComparison | undefined> {
  const { rows } = await queryable.query<DueComparison>(
    `WITH next AS (
       SELECT s.domain_id, s.name, d.account_id, d.hostname
         FROM sitemaps s
              JOIN domains d ON d.id = s.domain_id
              JOIN accounts a ON a.id = d.account_id
              JOIN uploads live ON live.id = s.upload_id
              LEFT JOIN uploads former ON former.id = s.compared_upload_id
        WHERE ${IS_DUE}
          AND coalesce(s.comparing_until <= now(), true)
          AND coalesce(s.compared_at <= now() - $5 * interval '1 millisecond', true)
          -- A newer upload need not wait.
          AND (coalesce(s.compare_after <= now(), true) OR s.comparing_upload_id <> s.upload_id)
          AND live.url_count + coalesce(former.url_count, 0) > $2
          AND ($3::bigint IS NULL OR live.url_count + coalesce(former.url_count, 0) <= $3)
        ORDER BY d.account_id <= $1, d.account_id, s.updated_at LIMIT 1
          FOR UPDATE OF s SKIP LOCKED
     )
     UPDATE sitemaps AS s
        SET comparing_until = now() + $4 * interval '1 second', compare_fence = compare_fence + 1,
            compare_attempts = CASE WHEN comparing_upload_id = upload_id THEN compare_attempts + 1 ELSE 1 END,
            comparing_upload_id = upload_id
       FROM next
      WHERE s.domain_id = next.domain_id AND s.name = next.name
  RETURNING next.account_id AS "accountId", s.domain_id AS "domainId", next.hostname, s.name AS "sitemapName",
            s.upload_id AS "uploadId", s.compared_upload_id AS "formerUploadId", s.compare_fence AS fence,
            s.compare_attempts AS attempts`,
    [after, minUrls, maxUrls, LEASE_S, pauseMs],
  );
  return rows[0];
}

type Lease = Pick<DueComparison, 'domainId' | 'sitemapName' | 'uploadId' | 'fence'>;

/** Returns false if the lease is lost, or another upload is live. */
export async function renewComparison(queryable: Queryable, lease: Lease): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `UPDATE sitemaps SET comparing_until = now() + $5 * interval '1 second' WHERE ${IS_OURS} AND upload_id = $4`,
    [...identityOf(lease), lease.uploadId, LEASE_S],
  );
  return rowCount === 1;
}

/**
 * Ends the lease. The comparison is due again in `delayMs`. `isFault`: false if the attempt does not count, because the
 * store or the database failed.
 */
export async function postponeComparison(
  queryable: Queryable,
  lease: Lease,
  { delayMs, isFault }: { delayMs: number; isFault: boolean },
): Promise<void> {
  await queryable.query(
    `UPDATE sitemaps
        SET comparing_until = NULL, compare_after = now() + $4 * interval '1 millisecond',
            compare_attempts = compare_attempts - $5
      WHERE ${IS_OURS}`,
    [...identityOf(lease), delayMs, isFault ? 0 : 1],
  );
}

/** Locks the sitemap. Returns its live upload; undefined if the lease is lost or the sitemap is gone. */
export async function lockComparison(queryable: Queryable, lease: Lease): Promise<string | undefined> {
  const { rows } = await queryable.query<{ uploadId: string }>(
    `SELECT upload_id AS "uploadId" FROM sitemaps WHERE ${IS_OURS} FOR NO KEY UPDATE`,
    identityOf(lease),
  );
  return rows[0]?.uploadId;
}

/** After `lockComparison`: the next upload is compared with this one. */
export async function endComparison(queryable: Queryable, lease: Lease): Promise<void> {
  await queryable.query(
    `UPDATE sitemaps
        SET compared_upload_id = $4, compared_at = now(), comparing_until = NULL, compare_after = NULL
      WHERE ${IS_OURS}`,
    [...identityOf(lease), lease.uploadId],
  );
}

/** Those of suspended accounts wait, and do not count. */
export async function countDueComparisons(queryable: Queryable): Promise<DueCounts> {
  const { rows } = await queryable.query<DueCounts>(
    `SELECT count(*) AS due, coalesce(max(extract(epoch FROM now() - s.updated_at)), 0)::float8 AS "oldestSeconds"
       FROM sitemaps s JOIN domains d ON d.id = s.domain_id JOIN accounts a ON a.id = d.account_id
      WHERE ${IS_DUE}`,
  );
  return rows[0]!;
}

const IS_OURS = 'domain_id = $1 AND name = $2 AND compare_fence = $3';
const identityOf = ({ domainId, sitemapName, fence }: Lease) => [domainId, sitemapName, fence];
