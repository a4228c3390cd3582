/** The SQL behind the writing of sites. */
import type { Sealed } from '../platform/key-ring.ts';
import { type Queryable, slowStatement, type Transaction } from '../platform/postgres/database.ts';

export interface LiveSitemap {
  readonly name: string;
  readonly uploadId: string;
  /** File n is at n - 1. */
  readonly files: readonly UploadFile[];
}

interface UploadFile {
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
  const { rows } = await queryable.query<UploadFile & { name: string; uploadId: string }>(
    slowStatement(
      `SELECT s.name, s.upload_id AS "uploadId", f.entries, f.bytes, f.gzip_bytes AS "gzipBytes", f.etag,
              f.last_modified AS "lastModified"
         FROM sitemaps s JOIN upload_files f ON f.upload_id = s.upload_id
        WHERE s.domain_id = $1 ORDER BY s.name COLLATE "C", f.n`,
      [domainId],
    ),
  );
  const sitemaps: (LiveSitemap & { files: UploadFile[] })[] = [];
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

/** Uploads of the domain that were replaced less than `keepMs` ago and not withdrawn, newest first. */
export async function listFormerUploads(
  queryable: Queryable,
  domainId: string,
  keepMs: number,
): Promise<FormerUpload[]> {
  const { rows } = await queryable.query<FormerUpload>(
    `SELECT sitemap_name AS "sitemapName", id AS "uploadId", file_count AS "fileCount", replaced_at AS "replacedAt"
       FROM uploads
      WHERE domain_id = $1 AND replaced_at > now() - $2 * interval '1 millisecond' AND NOT withdrawn
      ORDER BY replaced_at DESC`,
    [domainId, keepMs],
  );
  return rows;
}
