/**
 * The SQL of uploads per day. An attempt counts while it has a row. When a busy domain has too many and the
 * oldest are deleted, the same statement adds them to the sums of their days. So publishing costs nothing
 * more, and no upload counts twice or never.
 */
import { type Queryable, slowStatement } from '../platform/postgres/database.ts';

export interface UploadDaySum {
  /** As in 2026-01-15, in UTC. */
  readonly day: string;
  readonly published: number;
  /** Those that published nothing, for whatever reason. Dry runs do not count. */
  readonly refused: number;
  readonly publishedUrls: number;
  readonly refusedUrls: number;
}

/** Of rows of attempts. */
const SUMS = `
  (ended_at AT TIME ZONE 'UTC')::date AS day,
  count(*) FILTER (WHERE outcome = 'published') AS published,
  count(*) FILTER (WHERE outcome <> 'published') AS refused,
  coalesce(sum(url_count) FILTER (WHERE outcome = 'published'), 0)::bigint AS published_urls,
  coalesce(sum(url_count) FILTER (WHERE outcome <> 'published'), 0)::bigint AS refused_urls`;

/**
 * A statement that deletes attempts, adds them to their days, and answers a row for each. `deletion`: without
 * RETURNING.
 */
export const addedToDays = (deletion: string) =>
  `WITH deleted AS (${deletion} RETURNING domain_id, ended_at, outcome, url_count),
        added AS (
          INSERT INTO upload_days AS d (domain_id, day, published, refused, published_urls, refused_urls)
          SELECT domain_id, ${SUMS} FROM deleted WHERE outcome <> 'dry_run' GROUP BY domain_id, day
           -- Processes that do it at once wait for each other in one order.
           ORDER BY domain_id, day
          ON CONFLICT (domain_id, day) DO UPDATE
            SET published = d.published + excluded.published, refused = d.refused + excluded.refused,
                published_urls = d.published_urls + excluded.published_urls,
                refused_urls = d.refused_urls + excluded.refused_urls
        )
   SELECT FROM deleted`;

export async function deleteOldDays(queryable: Queryable, keepDays: number): Promise<void> {
  await queryable.query(
    slowStatement(`DELETE FROM upload_days WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::integer`, [
      keepDays,
    ]),
  );
}

/**
 * The last `days` days, today included, the oldest first. `domainId`: undefined for all domains of the
 * account.
 */
export async function sumUploadDays(
  queryable: Queryable,
  accountId: string,
  domainId: string | undefined,
  days: number,
): Promise<UploadDaySum[]> {
  const { rows } = await queryable.query<UploadDaySum>(
    slowStatement(
      `WITH span AS (SELECT (now() AT TIME ZONE 'UTC')::date - $3::integer + 1 AS first),
            sums AS (
              SELECT s.* FROM span, domains d CROSS JOIN LATERAL (
                SELECT ${SUMS} FROM attempts
                 WHERE domain_id = d.id AND ended_at >= span.first::timestamp AT TIME ZONE 'UTC' AND outcome <> 'dry_run'
                 GROUP BY day
                UNION ALL SELECT day, published, refused, published_urls, refused_urls FROM upload_days
                 WHERE domain_id = d.id AND day >= span.first) AS s
               WHERE d.account_id = $1 AND ($2::text IS NULL OR d.id = $2)
            )
       SELECT to_char(span.first + n, 'YYYY-MM-DD') AS day, coalesce(sum(published), 0)::bigint AS published,
              coalesce(sum(refused), 0)::bigint AS refused, coalesce(sum(published_urls), 0)::bigint AS "publishedUrls",
              coalesce(sum(refused_urls), 0)::bigint AS "refusedUrls"
         FROM span CROSS JOIN generate_series(0, $3::integer - 1) AS n LEFT JOIN sums ON sums.day = span.first + n
        GROUP BY span.first + n ORDER BY span.first + n`,
      [accountId, domainId ?? null, days],
    ),
  );
  return rows;
}
