/**
 * Finds the largest upload of an account, and its domain with the most sitemaps. They show how near the account is to the limits of its
 * plan.
 */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { COUNTS } from '../domains/domain-counts-store.ts';

interface Peak {
  readonly hostname: string;
  readonly count: number;
}

export interface Peaks {
  /** `count` is the number of URLs of the upload. Undefined if the account has no live upload. */
  readonly largestUpload: Peak | undefined;
  /** `count` is the number of sitemaps of the domain. Undefined if the account has no sitemap. */
  readonly fullestDomain: Peak | undefined;
}

export async function findPeaks(queryable: Queryable, accountId: string): Promise<Peaks> {
  // Most domains have sums in their rows. The largest upload has at least the mean of each domain, so the query looks for it in few
  // domains.
  const { rows } = await queryable.query<Peak & { isLargest: boolean }>(
    slowStatement(
      `WITH counted AS MATERIALIZED (
         SELECT d.id, d.hostname, d.position, c.sitemaps, c.urls FROM domains d CROSS JOIN LATERAL ${COUNTS} AS c
          WHERE d.account_id = $1 AND c.sitemaps > 0
       )
       (SELECT true AS "isLargest", hostname,
               CASE WHEN sitemaps = 1 THEN urls
                    ELSE (SELECT max(u.url_count) FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
                           WHERE s.domain_id = counted.id) END AS count
          FROM counted WHERE urls >= (SELECT max(urls / sitemaps) FROM counted) ORDER BY count DESC, position LIMIT 1)
       UNION ALL
       (SELECT false, hostname, sitemaps FROM counted ORDER BY sitemaps DESC, position LIMIT 1)`,
      [accountId],
    ),
  );
  return {
    largestUpload: rows.find((row) => row.isLargest),
    fullestDomain: rows.find((row) => !row.isLargest),
  };
}
