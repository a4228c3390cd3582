/**
 * Finds the largest upload of an account, and its domain with the most sitemaps. They show how near the account is to the limits of its
 * plan.
 */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';

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
  const [largest, fullest] = await Promise.all([
    queryable.query<Peak>(
      slowStatement(
        `SELECT d.hostname, u.url_count::bigint AS count
           FROM domains d JOIN sitemaps s ON s.domain_id = d.id JOIN uploads u ON u.id = s.upload_id
          WHERE d.account_id = $1 ORDER BY u.url_count DESC, d.position LIMIT 1`,
        [accountId],
      ),
    ),
    queryable.query<Peak>(
      slowStatement(
        `SELECT d.hostname, count(*) AS count FROM domains d JOIN sitemaps s ON s.domain_id = d.id
          WHERE d.account_id = $1 GROUP BY d.id ORDER BY count(*) DESC, d.position LIMIT 1`,
        [accountId],
      ),
    ),
  ]);
  return { largestUpload: largest.rows[0], fullestDomain: fullest.rows[0] };
}
