/** The SQL of uploads and of the sitemaps that point to them. */
import { type Queryable, slowStatement, type Transaction } from '../platform/postgres/database.ts';
import type { FileTotals, StagedFile } from './staging.ts';

export interface UploadRow {
  readonly id: string;
  readonly domainId: string;
  readonly sitemapName: string;
  readonly files: readonly StagedFile[];
  readonly totals: FileTotals;
  readonly publishedAt: Date;
}

/** Usage without one sitemap of a domain. */
export interface OtherSitemaps {
  /** In the domain. */
  readonly sitemaps: number;
  /** In the domain. */
  readonly files: number;
  /** In all domains of the account. */
  readonly gzipBytes: number;
}

export async function sumOtherSitemaps(
  queryable: Queryable,
  { accountId, domainId, sitemapName }: { accountId: string; domainId: string; sitemapName: string },
): Promise<OtherSitemaps> {
  const { rows } = await queryable.query<OtherSitemaps>(
    slowStatement(
      `SELECT count(*) AS sitemaps, coalesce(sum(u.file_count), 0)::bigint AS files,
            (SELECT coalesce(sum(d.stored_bytes), 0) FROM domains d WHERE d.account_id = $1 AND d.id <> $2)::bigint
              + coalesce(sum(u.gzip_bytes), 0)::bigint AS "gzipBytes"
       FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
      WHERE s.domain_id = $2 AND s.name <> $3`,
      [accountId, domainId, sitemapName],
    ),
  );
  return rows[0]!;
}

export async function insertUpload(transaction: Transaction, upload: UploadRow): Promise<void> {
  const { id, domainId, sitemapName, files, publishedAt } = upload;
  const { urlCount, fileCount, bytes, gzipBytes } = upload.totals;
  await transaction.query(
    `INSERT INTO uploads (id, domain_id, sitemap_name, url_count, file_count, bytes, gzip_bytes, published_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, domainId, sitemapName, urlCount, fileCount, bytes, gzipBytes, publishedAt],
  );
  // As fast as COPY. Postgres does not count a COPY that waits for a dead client as idle (docs/decisions/0015).
  await transaction.query(
    slowStatement(
      `INSERT INTO upload_files (upload_id, last_modified, n, entries, bytes, gzip_bytes, etag)
       SELECT $1, $2::timestamptz, f.*
         FROM unnest($3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::text[]) AS f`,
      [
        id,
        publishedAt,
        files.map(({ n }) => n),
        files.map(({ entries }) => entries),
        files.map(({ bytes }) => bytes),
        files.map(({ gzipBytes }) => gzipBytes),
        files.map(({ etag }) => etag),
      ],
    ),
  );
}

/** Finds the upload that the sitemap points to. */
export async function findLiveUploadId(
  queryable: Queryable,
  domainId: string,
  sitemapName: string,
): Promise<string | undefined> {
  const { rows } = await queryable.query<{ upload_id: string }>(
    'SELECT upload_id FROM sitemaps WHERE domain_id = $1 AND name = $2',
    [domainId, sitemapName],
  );
  return rows[0]?.upload_id;
}

/** A file that equals the former upload's file of the same number keeps that file's `last_modified`. */
export async function keepLastModified(
  transaction: Transaction,
  uploadId: string,
  formerUploadId: string,
): Promise<void> {
  await transaction.query(
    slowStatement(
      `UPDATE upload_files AS new SET last_modified = old.last_modified
             FROM upload_files AS old
            WHERE new.upload_id = $1 AND old.upload_id = $2 AND old.n = new.n AND old.etag = new.etag`,
      [uploadId, formerUploadId],
    ),
  );
}

export async function markReplaced(transaction: Transaction, uploadId: string): Promise<void> {
  await transaction.query('UPDATE uploads SET replaced_at = now() WHERE id = $1', [uploadId]);
}

/** From now on no site lists earlier uploads of this sitemap as former, even if it is uploaded again. */
export async function withdrawUploads(
  transaction: Transaction,
  domainId: string,
  sitemapName: string,
): Promise<void> {
  await transaction.query(
    'UPDATE uploads SET withdrawn = true WHERE domain_id = $1 AND sitemap_name = $2 AND NOT withdrawn',
    [domainId, sitemapName],
  );
}

export async function pointSitemapTo(transaction: Transaction, upload: UploadRow): Promise<void> {
  await transaction.query(
    `INSERT INTO sitemaps (domain_id, name, upload_id, updated_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (domain_id, name) DO UPDATE
        SET upload_id = excluded.upload_id, updated_at = excluded.updated_at,
            -- A first upload is the base of the next one, even if nobody has counted it yet.
            compared_upload_id = coalesce(sitemaps.compared_upload_id, sitemaps.upload_id)`,
    [upload.domainId, upload.sitemapName, upload.id, upload.publishedAt],
  );
}

export async function deleteSitemapRow(
  transaction: Transaction,
  domainId: string,
  sitemapName: string,
): Promise<void> {
  await transaction.query('DELETE FROM sitemaps WHERE domain_id = $1 AND name = $2', [domainId, sitemapName]);
}

/** 0 if there is no such sitemap. */
export async function countLiveUrls(
  queryable: Queryable,
  domainId: string,
  sitemapName: string,
): Promise<number> {
  const { rows } = await queryable.query<{ urls: number }>(
    `SELECT u.url_count AS urls FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
      WHERE s.domain_id = $1 AND s.name = $2`,
    [domainId, sitemapName],
  );
  return rows[0]?.urls ?? 0;
}
