/** The SQL behind the writing of sites. */
import type { Sealed } from '../platform/key-ring.ts';
import { type Queryable, slowStatement, type Transaction } from '../platform/postgres/database.ts';
import { MOST_GENERATIONS } from './garbage-store.ts';

export interface LiveSitemap {
  readonly name: string;
  readonly uploadId: string;
  /** File n is at n - 1. */
  readonly files: readonly SitemapFile[];
}

interface SitemapFile {
  /** The object: file `uploadN` of this upload. Another one than the sitemap's after a rollback. */
  readonly fileUploadId: string;
  readonly uploadN: number;
  readonly entries: number;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly etag: string;
  readonly lastModified: Date;
}

/** Excludes other writers of the site, in all processes, until the transaction ends. */
export async function lockSite(transaction: Transaction, hostname: string): Promise<void> {
  await transaction.query(
    slowStatement(`SELECT pg_advisory_xact_lock(hashtextextended('site ' || $1, 0))`, [hostname]),
  );
}

/** Excludes other writers of a shard of the host directory. Lock order: the site first, then the shard. */
export async function lockHosts(transaction: Transaction, shard: number): Promise<void> {
  await transaction.query(
    slowStatement(`SELECT pg_advisory_xact_lock(hashtextextended('hosts ' || $1, 0))`, [String(shard)]),
  );
}

/** Sorted by name, each with its files in order. One statement, so the result is one snapshot. */
export async function listLiveSitemaps(queryable: Queryable, domainId: string): Promise<LiveSitemap[]> {
  const { rows } = await queryable.query<SitemapFile & { name: string; uploadId: string }>(
    slowStatement(
      `SELECT s.name, s.upload_id AS "uploadId", f.upload_id AS "fileUploadId", f.upload_n AS "uploadN", f.entries,
              f.bytes, f.gzip_bytes AS "gzipBytes", f.etag, f.last_modified AS "lastModified"
         FROM sitemaps s JOIN sitemap_files f ON f.domain_id = s.domain_id AND f.sitemap_name = s.name
        WHERE s.domain_id = $1 AND f.to_seq IS NULL ORDER BY s.name COLLATE "C", f.n`,
      [domainId],
    ),
  );
  const sitemaps: (LiveSitemap & { files: SitemapFile[] })[] = [];
  for (const { name, uploadId, ...file } of rows) {
    if (sitemaps.at(-1)?.uploadId !== uploadId) sitemaps.push({ name, uploadId, files: [] });
    sitemaps.at(-1)!.files.push(file);
  }
  return sitemaps;
}

/** The certificate of the domain; undefined when it has none that is valid. */
export async function findSiteCertificate(
  queryable: Queryable,
  domainId: string,
): Promise<{ chain: string; key: Sealed; notAfter: Date } | undefined> {
  const { rows } = await queryable.query<{ chain: string; key: Sealed; notAfter: Date }>(
    'SELECT chain, key, not_after AS "notAfter" FROM certificates WHERE domain_id = $1 AND not_after > now()',
    [domainId],
  );
  return rows[0];
}

export interface FormerUpload {
  readonly sitemapName: string;
  readonly uploadId: string;
  readonly fileCount: number;
  readonly replacedAt: Date;
}

/** Uploads of the domain that were replaced less than `keepMs` ago and are kept, newest first. */
export async function listFormerUploads(
  queryable: Queryable,
  domainId: string,
  keepMs: number,
): Promise<FormerUpload[]> {
  const { rows } = await queryable.query<FormerUpload>(
    `SELECT u.sitemap_name AS "sitemapName", u.id AS "uploadId", u.file_count AS "fileCount",
            u.replaced_at AS "replacedAt"
       FROM uploads u JOIN sitemaps s ON s.domain_id = u.domain_id AND s.name = u.sitemap_name
            JOIN uploads live ON live.id = s.upload_id
      WHERE u.domain_id = $1 AND u.replaced_at > now() - $2 * interval '1 millisecond' AND NOT u.withdrawn
        AND u.seq > live.seq - $3
      ORDER BY u.replaced_at DESC`,
    [domainId, keepMs, MOST_GENERATIONS],
  );
  return rows;
}
