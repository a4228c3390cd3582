/**
 * The SQL of uploads per day. An attempt counts by its row in `attempts`. The statement that deletes the oldest attempts of a busy domain
 * adds them to `upload_days`, where they count from then on. So publishing need not update sums, and each upload counts exactly once.
 */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';

export interface UploadDaySum {
  /** The day in UTC, as in 2026-01-15. */
  readonly day: string;
  readonly published: number;
  /** The number of attempts that had the content of the live generation. */
  readonly unchanged: number;
  /** The number of refused, failed and abandoned attempts. Dry runs, canceled and held attempts do not count. */
  readonly refused: number;
  readonly publishedUrls: number;
  readonly refusedUrls: number;
}

/** The sums over rows of `attempts`. */
const SUMS = `
  (ended_at AT TIME ZONE 'UTC')::date AS day,
  count(*) FILTER (WHERE outcome = 'published') AS published,
  count(*) FILTER (WHERE outcome = 'unchanged') AS unchanged,
  count(*) FILTER (WHERE outcome NOT IN ('published', 'unchanged', 'held')) AS refused,
  coalesce(sum(url_count) FILTER (WHERE outcome = 'published'), 0)::bigint AS published_urls,
  coalesce(sum(url_count) FILTER (WHERE outcome NOT IN ('published', 'unchanged', 'held')), 0)::bigint AS refused_urls`;

/**
 * A statement that deletes attempts, adds them to the sums of their days, and returns one row without columns for each. `deletion` is a
 * DELETE without RETURNING.
 */
export const addedToDays = (deletion: string) =>
  `WITH deleted AS (${deletion} RETURNING domain_id, ended_at, outcome, url_count),
        added AS (
          INSERT INTO upload_days AS d (domain_id, day, published, unchanged, refused, published_urls, refused_urls)
          SELECT domain_id, ${SUMS} FROM deleted WHERE outcome NOT IN ('dry_run', 'canceled') GROUP BY domain_id, day
           -- Concurrent processes lock the days in this order, which prevents deadlocks.
           ORDER BY domain_id, day
          ON CONFLICT (domain_id, day) DO UPDATE
            SET published = d.published + excluded.published, unchanged = d.unchanged + excluded.unchanged, refused = d.refused + excluded.refused,
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
 * Sums the last `days` days, today included, the oldest first. Without `domainId`, it sums all domains of the
 * account.
 */
export function sumUploadDays(
  queryable: Queryable,
  accountId: string,
  domainId: string | undefined,
  days: number,
) {
  return allRows<UploadDaySum>(
    queryable,
    slowStatement(
      `WITH span AS (SELECT (now() AT TIME ZONE 'UTC')::date - $3::integer + 1 AS first),
            sums AS (
              SELECT s.* FROM span, domains d CROSS JOIN LATERAL (
                SELECT ${SUMS} FROM attempts
                 WHERE domain_id = d.id AND ended_at >= span.first::timestamp AT TIME ZONE 'UTC' AND outcome NOT IN ('dry_run', 'canceled')
                 GROUP BY day
                UNION ALL SELECT day, published, unchanged, refused, published_urls, refused_urls FROM upload_days
                 WHERE domain_id = d.id AND day >= span.first) AS s
               WHERE d.account_id = $1 AND ($2::text IS NULL OR d.id = $2)
            )
       SELECT to_char(span.first + n, 'YYYY-MM-DD') AS day, coalesce(sum(published), 0)::bigint AS published,
              coalesce(sum(unchanged), 0)::bigint AS unchanged,
              coalesce(sum(refused), 0)::bigint AS refused, coalesce(sum(published_urls), 0)::bigint AS "publishedUrls",
              coalesce(sum(refused_urls), 0)::bigint AS "refusedUrls"
         FROM span CROSS JOIN generate_series(0, $3::integer - 1) AS n LEFT JOIN sums ON sums.day = span.first + n
        GROUP BY span.first + n ORDER BY span.first + n`,
      [accountId, domainId ?? null, days],
    ),
  );
}
