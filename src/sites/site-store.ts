/** The SQL that a site is written from. */
import type { Queryable, Transaction } from '../platform/database.ts';

export interface SiteDomain {
  readonly id: string;
  readonly generation: number;
  /** Whether hosting may serve it: it has been verified (decision 27). */
  readonly isServed: boolean;
}

export interface LiveSitemap {
  readonly name: string;
  readonly uploadId: string;
  readonly fileCount: number;
}

export interface UploadFile {
  readonly n: number;
  readonly entries: number;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly etag: string;
  readonly lastModified: Date;
}

/** Lets one writer at a time, over all processes, work on the site; until the transaction ends. */
export async function lockSite(transaction: Transaction, hostname: string, timeoutMs: number): Promise<void> {
  await transaction.query({
    text: `SELECT pg_advisory_xact_lock(hashtextextended('site ' || $1, 0))`,
    values: [hostname],
    query_timeout: timeoutMs,
  } as never);
}

/** Gives the domain a new generation. To be called by whatever changes what its site shows. */
export async function raiseGeneration(transaction: Transaction, domainId: string): Promise<void> {
  await transaction.query(`UPDATE domains SET generation = nextval('site_generations') WHERE id = $1`, [
    domainId,
  ]);
}

export async function findSiteDomain(
  queryable: Queryable,
  hostname: string,
): Promise<SiteDomain | undefined> {
  const { rows } = await queryable.query<SiteDomain>(
    `SELECT id, generation, status IN ('verified', 'active') AS "isServed" FROM domains WHERE hostname = $1`,
    [hostname],
  );
  return rows[0];
}

export async function listLiveSitemaps(queryable: Queryable, domainId: string): Promise<LiveSitemap[]> {
  const { rows } = await queryable.query<LiveSitemap>(
    `SELECT s.name, s.upload_id AS "uploadId", u.file_count AS "fileCount"
       FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
      WHERE s.domain_id = $1 ORDER BY s.name COLLATE "C"`,
    [domainId],
  );
  return rows;
}

export interface FormerUpload {
  readonly sitemapName: string;
  readonly uploadId: string;
  readonly fileCount: number;
  readonly replacedAt: Date;
}

/** Uploads of the domain that were replaced less than `keepMs` ago, newest first. */
export async function listFormerUploads(
  queryable: Queryable,
  domainId: string,
  keepMs: number,
): Promise<FormerUpload[]> {
  const { rows } = await queryable.query<FormerUpload>(
    `SELECT sitemap_name AS "sitemapName", id AS "uploadId", file_count AS "fileCount", replaced_at AS "replacedAt"
       FROM uploads
      WHERE domain_id = $1 AND replaced_at > now() - $2 * interval '1 millisecond'
      ORDER BY replaced_at DESC`,
    [domainId, keepMs],
  );
  return rows;
}

/** The files of one upload, in order. */
export async function listFiles(queryable: Queryable, uploadId: string): Promise<UploadFile[]> {
  const { rows } = await queryable.query<UploadFile>(
    `SELECT n, entries, bytes, gzip_bytes AS "gzipBytes", etag, last_modified AS "lastModified"
       FROM upload_files WHERE upload_id = $1 ORDER BY n`,
    [uploadId],
  );
  return rows;
}
