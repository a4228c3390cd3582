/** Lists the generations of a sitemap for its owner (spec D63). */
import type { Queryable } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import { IS_KEPT } from '../sites/garbage-store.ts';

export interface GenerationSummary {
  readonly seq: number;
  readonly kind: 'upload' | 'rollback' | 'delta';
  /** The id of the upload, the rollback or the delta. */
  readonly uploadId: string;
  readonly urlCount: number;
  readonly fileCount: number;
  /** The length of the files as stored. */
  readonly gzipBytes: number;
  readonly publishedAt: Date;
  readonly isLive: boolean;
  /** The seq of the generation that a rollback restored. */
  readonly restores: number | null;
  readonly canRollBack: boolean;
  /**
   * The name of the key or the person that uploaded the generation. Null: the name is not known any more, or a schedule, a rollback or a
   * delta made the generation.
   */
  readonly publishedBy: string | null;
}

/**
 * Lists the first `limit` generations with a seq below `before`, the newest first. A generation whose files were collected has no row, so
 * it is not listed.
 */
export function listGenerations(
  queryable: Queryable,
  { domainId, sitemapName }: { readonly domainId: string; readonly sitemapName: string },
  limit: number,
  before: number | undefined,
) {
  return allRows<GenerationSummary>(
    queryable,
    `SELECT u.seq, u.kind, u.id AS "uploadId", u.url_count AS "urlCount", u.file_count AS "fileCount",
            u.gzip_bytes AS "gzipBytes", u.published_at AS "publishedAt", u.replaced_at IS NULL AS "isLive", u.restores,
            ${IS_KEPT} AS "canRollBack", coalesce(k.name, p.name) AS "publishedBy"
       FROM uploads u LEFT JOIN attempts a ON a.id = u.id LEFT JOIN api_keys k ON k.id = a.key_id
            LEFT JOIN users p ON p.id = a.user_id
      WHERE u.domain_id = $1 AND u.sitemap_name = $2 AND ($4::integer IS NULL OR u.seq < $4)
      ORDER BY u.seq DESC LIMIT $3`,
    [domainId, sitemapName, limit, before ?? null],
  );
}
