/** Lists the generations of all accounts for operators: published uploads, rollbacks and deltas. */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';

export interface ListedUpload {
  readonly id: string;
  readonly accountId: string;
  readonly hostname: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly generation: number;
  readonly kind: 'upload' | 'rollback' | 'delta';
  readonly urlCount: number;
  readonly fileCount: number;
  /** The length of the XML of all files. */
  readonly bytes: number;
  /** The length of the files as stored. */
  readonly gzipBytes: number;
  readonly publishedAt: Date;
  /** Null while the upload is live. A deleted sitemap's upload counts as replaced. */
  readonly replacedAt: Date | null;
  /** The position in the list. The next page begins after it. It stays valid when the upload is gone. */
  readonly position: string;
}

export interface UploadFilter {
  readonly accountId?: string | undefined;
  readonly hostname?: string | undefined;
}

/** Lists the first `limit` uploads after a position, the newest first. A replaced upload stays listed until its files are collected. */
export function listUploads(
  queryable: Queryable,
  { accountId, hostname }: UploadFilter,
  limit: number,
  after?: string,
): Promise<ListedUpload[]> {
  const [id, seq, publishedAt] = after?.split(' at ') ?? [];
  return allRows<ListedUpload>(
    queryable,
    slowStatement(
      `SELECT u.id, d.account_id AS "accountId", d.hostname, u.sitemap_name AS "sitemapName", u.seq AS generation, u.kind,
              u.url_count AS "urlCount", u.file_count AS "fileCount", u.bytes, u.gzip_bytes AS "gzipBytes",
              u.published_at AS "publishedAt", u.replaced_at AS "replacedAt",
              u.id || ' at ' || u.seq || ' at ' || u.published_at AS position
         FROM uploads u JOIN domains d ON d.id = u.domain_id
        WHERE ($1::text IS NULL OR d.account_id = $1) AND ($2::text IS NULL OR d.hostname = $2)
          AND ($4::timestamptz IS NULL OR (u.published_at, u.seq, u.id) < ($4, $5::bigint, $6))
        -- A group may publish several generations of a sitemap at the same time, so seq decides.
        ORDER BY u.published_at DESC, u.seq DESC, u.id DESC LIMIT $3`,
      [accountId ?? null, hostname ?? null, limit, publishedAt ?? null, seq ?? null, id ?? null],
    ),
  );
}
