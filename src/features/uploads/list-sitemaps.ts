/** Lists the sitemaps of a domain for its owner. */
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';
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

/** How users call the unnamed sitemap. */
const UNNAMED = shownSitemapName('');

/** The wanted sitemaps are those of `names`, or all if it is null. Their shown names contain `search`, in any letter case. */
export interface WantedSitemaps {
  readonly names?: readonly string[] | null;
  readonly search?: string;
}

/** Lists the first `limit` wanted sitemaps after `after`, in the order of names. */
export function listSitemaps(
  queryable: Queryable,
  domainId: string,
  limit: number,
  after: string | undefined,
  { names = null, search = '' }: WantedSitemaps = {},
) {
  return allRows<SitemapSummary>(
    queryable,
    `${SUMMARY}
      WHERE s.domain_id = $1 AND ($3::text IS NULL OR s.name COLLATE "C" > $3)
        AND ($4::text[] IS NULL OR s.name = ANY($4))
        AND ($5 = '' OR position(lower($5) IN lower(coalesce(nullif(s.name, ''), $6))) > 0)
      ORDER BY s.name COLLATE "C" LIMIT $2`,
    [domainId, limit, after ?? null, names, search, UNNAMED],
  );
}

export function findSitemap(queryable: Queryable, { domainId, sitemapName }: SitemapKey) {
  return firstRow<SitemapSummary>(queryable, `${SUMMARY} WHERE s.domain_id = $1 AND s.name = $2`, [
    domainId,
    sitemapName,
  ]);
}
