/** The SQL of sitemaps and their generations: uploads and rollbacks. */
import { type Queryable, slowStatement, type Transaction } from '../platform/postgres/database.ts';
import { COMPARE_NEXT, laneOf } from '../sites/due-comparison.ts';
import { filesOf, IS_KEPT } from '../sites/garbage-store.ts';
import { insertSmallFiles } from '../sites/small-file-store.ts';
import type { EndedAttempt } from './attempt.ts';
import { attemptParameters, insertAttemptsStatement, publishAttemptStatement } from './attempt-store.ts';
import type { FileTotals, StagedFile } from './staging.ts';

/** A sitemap of a domain. */
export interface SitemapKey {
  readonly domainId: string;
  /** Empty for the unnamed one. */
  readonly sitemapName: string;
}

/** A generation of a sitemap that is being published. */
export interface GenerationRow extends SitemapKey {
  /** Of the upload, or of the rollback. */
  readonly id: string;
  readonly seq: number;
  readonly totals: FileTotals;
  readonly publishedAt: Date;
}

/** What a sitemap shows. */
export interface LiveGeneration extends FileTotals {
  readonly id: string;
  readonly seq: number;
}

/** The columns of `FileTotals`, of the upload `u`. */
export const TOTALS = `u.url_count AS "urlCount", u.file_count AS "fileCount", u.bytes, u.gzip_bytes AS "gzipBytes"`;

/** `attempt` is recorded in the same statement. Undefined: it has been recorded, unless nobody looks at it. */
export async function insertUpload(
  transaction: Transaction,
  row: GenerationRow,
  files: readonly StagedFile[],
  attempt: EndedAttempt | undefined,
): Promise<void> {
  const { id, domainId, sitemapName, seq, publishedAt } = row;
  const { urlCount, fileCount, bytes, gzipBytes } = row.totals;
  const hasObjects = files.some(({ content }) => content === undefined);
  const recording =
    attempt === undefined ? publishAttemptStatement('$1', '$4') : insertAttemptsStatement('$10', '$11');
  await transaction.query(
    `WITH attempt AS (${recording})
     INSERT INTO uploads (id, domain_id, sitemap_name, seq, url_count, file_count, bytes, gzip_bytes, published_at, objects)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${hasObjects ? 'NULL' : '0'})`,
    [
      ...[id, domainId, sitemapName, seq, urlCount, fileCount, bytes, gzipBytes, publishedAt],
      ...(attempt === undefined ? [] : attemptParameters([attempt])),
    ],
  );
  // As fast as COPY. Postgres does not count a COPY that waits for a dead client as idle (docs/decisions/0015).
  await transaction.query(
    slowStatement(
      insertFiles(
        `SELECT $5::text, f.n, f.n, f.entries, f.bytes, f.gzip_bytes, f.etag, NULL::timestamptz
           FROM unnest($6::integer[], $7::integer[], $8::integer[], $9::integer[], $10::text[])
                  AS f (n, entries, bytes, gzip_bytes, etag)`,
      ),
      [
        ...[domainId, sitemapName, seq, publishedAt, id],
        files.map(({ n }) => n),
        files.map(({ entries }) => entries),
        files.map(({ bytes }) => bytes),
        files.map(({ gzipBytes }) => gzipBytes),
        files.map(({ etag }) => etag),
      ],
    ),
  );
  const small = files.flatMap(({ n, content }) => (content ? [{ uploadId: id, n, content }] : []));
  await insertSmallFiles(transaction, small);
}

/** The generation has the files of the generation `restores`, by rows alone. */
export async function insertRollback(
  transaction: Transaction,
  { id, domainId, sitemapName, seq, totals, publishedAt }: GenerationRow,
  restores: number,
): Promise<void> {
  const { urlCount, fileCount, bytes, gzipBytes } = totals;
  await transaction.query(
    `INSERT INTO uploads (id, domain_id, sitemap_name, seq, url_count, file_count, bytes, gzip_bytes, published_at,
                          kind, restores, objects)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'rollback', $10, 0)`,
    [id, domainId, sitemapName, seq, ...[urlCount, fileCount, bytes, gzipBytes], ...[publishedAt, restores]],
  );
  const { rowCount } = await transaction.query(
    slowStatement(
      insertFiles(
        `SELECT f.upload_id, f.n, f.upload_n, f.entries, f.bytes, f.gzip_bytes, f.etag, NULL::timestamptz FROM sitemap_files f
          WHERE f.domain_id = $1 AND f.sitemap_name = $2 AND ${filesOf('$5::integer')}`,
      ),
      [domainId, sitemapName, seq, publishedAt, restores],
    ),
  );
  if (rowCount !== fileCount) throw new Error(`generation ${restores} has ${rowCount} of ${fileCount} files`);
}

/**
 * A statement that inserts the files of generation $3 of sitemap $2 in domain $1, published at $4, from the rows of `files`. No
 * file of the former generation is live any more. A file that equals the former one of the same number keeps its
 * `last_modified`.
 */
function insertFiles(files: string): string {
  // A window, not a join: Postgres does not know yet how many rows were just written, and may choose nested loops over them.
  return `WITH former AS (
      UPDATE sitemap_files SET to_seq = $3::integer WHERE domain_id = $1 AND sitemap_name = $2 AND to_seq IS NULL
      RETURNING n, etag, last_modified
    ), both_generations (upload_id, n, upload_n, entries, bytes, gzip_bytes, etag, last_modified) AS (
      ${files}
      UNION ALL SELECT NULL, n, NULL, NULL, NULL, NULL, etag, last_modified FROM former
    )
    INSERT INTO sitemap_files (domain_id, sitemap_name, from_seq, upload_id, n, upload_n, entries, bytes, gzip_bytes, etag,
                               last_modified)
    SELECT $1, $2, $3::integer, upload_id, n, upload_n, entries, bytes, gzip_bytes, etag,
           coalesce(former_modified, $4::timestamptz)
      FROM (SELECT *, max(last_modified) OVER (PARTITION BY n, etag) AS former_modified FROM both_generations) AS compared
     WHERE upload_id IS NOT NULL`;
}

/** Undefined if there is no such sitemap. */
export async function findLiveGeneration(
  queryable: Queryable,
  domainId: string,
  sitemapName: string,
): Promise<LiveGeneration | undefined> {
  const { rows } = await queryable.query<LiveGeneration>(
    `SELECT u.id, u.seq, ${TOTALS} FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
      WHERE s.domain_id = $1 AND s.name = $2`,
    [domainId, sitemapName],
  );
  return rows[0];
}

/** Undefined if it never was, or its row is gone. */
export async function findGeneration(
  queryable: Queryable,
  { domainId, sitemapName, seq }: SitemapKey & { readonly seq: number },
): Promise<(LiveGeneration & { readonly isKept: boolean }) | undefined> {
  const { rows } = await queryable.query<LiveGeneration & { readonly isKept: boolean }>(
    `SELECT u.id, u.seq, ${TOTALS}, ${IS_KEPT} AS "isKept" FROM uploads u
      WHERE u.domain_id = $1 AND u.sitemap_name = $2 AND u.seq = $3`,
    [domainId, sitemapName, seq],
  );
  return rows[0];
}

/** All of them are replaced, and no site lists them as former, even if the sitemap is uploaded again. */
export async function withdrawUploads(
  transaction: Transaction,
  { domainId, sitemapName }: SitemapKey,
): Promise<void> {
  await transaction.query(
    `UPDATE uploads SET withdrawn = true, replaced_at = coalesce(replaced_at, now())
      WHERE domain_id = $1 AND sitemap_name = $2 AND NOT withdrawn`,
    [domainId, sitemapName],
  );
}

/** `formerUrls`: of the upload that was live. */
export async function pointSitemapTo(
  transaction: Transaction,
  upload: GenerationRow,
  accountId: string,
  formerUrls: number,
): Promise<void> {
  await transaction.query(
    `INSERT INTO sitemaps (domain_id, name, upload_id, updated_at, compare_at, compare_account, compare_lane)
     VALUES ($1, $2, $3, $4, now(), $5, $6)
     ON CONFLICT (domain_id, name) DO UPDATE
        SET upload_id = excluded.upload_id, updated_at = excluded.updated_at,
            -- A first upload is the base of the next one, even if nobody has counted it yet.
            compared_upload_id = coalesce(sitemaps.compared_upload_id, sitemaps.upload_id), ${COMPARE_NEXT}`,
    [
      ...[upload.domainId, upload.sitemapName, upload.id, upload.publishedAt, accountId],
      laneOf(upload.totals.urlCount + formerUrls),
    ],
  );
}

/** Keeps its seq: a new sitemap goes on from there. */
export async function deleteSitemapRow(
  transaction: Transaction,
  { domainId, sitemapName, seq }: SitemapKey & { readonly seq: number },
): Promise<void> {
  await transaction.query(
    `WITH deleted AS (DELETE FROM sitemaps WHERE domain_id = $1 AND name = $2)
     UPDATE domains SET deleted_seq = greatest(deleted_seq, $3) WHERE id = $1`,
    [domainId, sitemapName, seq],
  );
}
