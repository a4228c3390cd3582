/** Lists the sitemaps of a domain for its owner. */
import type { Queryable } from '../../platform/postgres/database.ts';
import type { Expectation } from './freshness/expectation.ts';
import type { SitemapKey } from './upload-store.ts';

export interface SitemapSummary extends Expectation {
  /** Empty for the unnamed sitemap. */
  readonly name: string;
  /** The seq of its live generation. */
  readonly generation: number;
  readonly urlCount: number;
  readonly fileCount: number;
  /** The length of the XML of all files. */
  readonly bytes: number;
  /** The length of the files as stored. */
  readonly gzipBytes: number;
  readonly lastUpdated: Date;
}

const SUMMARY = `
  SELECT s.name, u.seq AS generation, u.url_count AS "urlCount", u.file_count AS "fileCount", u.bytes,
         u.gzip_bytes AS "gzipBytes", s.updated_at AS "lastUpdated", s.expect_every_hours AS "expectEveryHours",
         s.fresh_until AS "freshUntil", s.stale_since AS "staleSince"
    FROM sitemaps s JOIN uploads u ON u.id = s.upload_id`;

/** Lists the first `limit` sitemaps after `after`, in the order of names. If `names` is not null, lists only these sitemaps. */
export async function listSitemaps(
  queryable: Queryable,
  domainId: string,
  limit: number,
  after: string | undefined,
  names: readonly string[] | null = null,
): Promise<SitemapSummary[]> {
  const { rows } = await queryable.query<SitemapSummary>(
    `${SUMMARY}
      WHERE s.domain_id = $1 AND ($3::text IS NULL OR s.name COLLATE "C" > $3)
        AND ($4::text[] IS NULL OR s.name = ANY($4))
      ORDER BY s.name COLLATE "C" LIMIT $2`,
    [domainId, limit, after ?? null, names],
  );
  return rows;
}

export async function findSitemap(
  queryable: Queryable,
  { domainId, sitemapName }: SitemapKey,
): Promise<SitemapSummary | undefined> {
  const { rows } = await queryable.query<SitemapSummary>(
    `${SUMMARY} WHERE s.domain_id = $1 AND s.name = $2`,
    [domainId, sitemapName],
  );
  return rows[0];
}
