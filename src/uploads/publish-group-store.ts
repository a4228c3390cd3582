/**
 * The SQL of publishing many small uploads at once. Each statement is set-based, and its plan is kept: a group of fifty costs
 * little more than one upload.
 */
import { KEPT_PLANS, type Queryable, type Transaction } from '../platform/postgres/database.ts';
import { COMPARE_NEXT, laneOf } from '../sites/due-comparison.ts';
import type { EndedAttempt } from './attempt.ts';
import { attemptParameters, insertAttemptsStatement } from './attempt-store.ts';
import type { FileTotals } from './staging.ts';
import { type GenerationRow, type LiveGeneration, type SitemapKey, TOTALS } from './upload-store.ts';

/** How long a group waits for a lock. */
const LOCK_TIMEOUT_MS = 100;

/** The settings of the transaction. */
export const GROUP_SETTINGS = { ...KEPT_PLANS, lock_timeout: LOCK_TIMEOUT_MS };

/** What a sitemap has before the group. */
export interface FormerSitemap extends SitemapKey {
  /** Null if there is no such sitemap. */
  readonly live: LiveGeneration | null;
  /** Those that end with the next generation. A deleted sitemap has left some too. File n is at n - 1. */
  readonly etags: readonly string[];
  readonly lastModified: readonly Date[];
}

/** At most `mostFiles` of each. */
export async function findFormerSitemaps(
  queryable: Queryable,
  sitemaps: readonly SitemapKey[],
  mostFiles: number,
): Promise<FormerSitemap[]> {
  const { rows } = await queryable.query<Omit<FormerSitemap, 'live'> & (LiveGeneration | { id: null })>({
    name: 'find-former-sitemaps',
    text: `SELECT wanted.domain_id AS "domainId", wanted.name AS "sitemapName", u.id, u.seq, ${TOTALS},
                  coalesce(f.etags, '{}') AS etags, coalesce(f.last_modified, '{}') AS "lastModified"
             FROM unnest($1::text[], $2::text[]) AS wanted (domain_id, name)
                  LEFT JOIN sitemaps s ON s.domain_id = wanted.domain_id AND s.name = wanted.name
                  LEFT JOIN uploads u ON u.id = s.upload_id
                  CROSS JOIN LATERAL (
                    SELECT array_agg(f.etag ORDER BY f.n) AS etags, array_agg(f.last_modified ORDER BY f.n) AS last_modified
                      FROM (SELECT * FROM sitemap_files
                             WHERE domain_id = wanted.domain_id AND sitemap_name = wanted.name AND to_seq IS NULL
                             LIMIT $3) AS f
                  ) AS f`,
    values: [
      sitemaps.map(({ domainId }) => domainId),
      sitemaps.map(({ sitemapName }) => sitemapName),
      mostFiles,
    ],
  });
  return rows.map(({ domainId, sitemapName, etags, lastModified, ...live }) => ({
    ...{ domainId, sitemapName, etags, lastModified },
    live: live.id === null ? null : live,
  }));
}

/** A generation of the group. */
export interface NewGeneration extends GenerationRow {
  /** A later one of the group has replaced it. */
  readonly isReplaced: boolean;
  readonly attempt: EndedAttempt;
  readonly files: readonly NewFile[];
}

/** A small one. */
interface NewFile extends Pick<FileTotals, 'bytes' | 'gzipBytes'> {
  readonly n: number;
  readonly entries: number;
  readonly etag: string;
  readonly lastModified: Date;
  readonly content: Buffer;
}

/** With their attempts. */
export async function insertUploads(transaction: Transaction, rows: readonly NewGeneration[]): Promise<void> {
  const column = <Value>(value: (row: NewGeneration) => Value) => rows.map(value);
  await transaction.query({
    name: 'insert-uploads',
    text: `WITH attempts AS (${insertAttemptsStatement('$10', '$11')})
           INSERT INTO uploads (id, domain_id, sitemap_name, seq, url_count, file_count, bytes, gzip_bytes, published_at,
                                objects)
           SELECT *, 0 FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::bigint[], $6::integer[],
                                $7::bigint[], $8::bigint[], $9::timestamptz[])`,
    values: [
      column(({ id }) => id),
      column(({ domainId }) => domainId),
      column(({ sitemapName }) => sitemapName),
      column(({ seq }) => seq),
      column(({ totals }) => totals.urlCount),
      column(({ totals }) => totals.fileCount),
      column(({ totals }) => totals.bytes),
      column(({ totals }) => totals.gzipBytes),
      column(({ publishedAt }) => publishedAt),
      ...attemptParameters(column(({ attempt }) => attempt)),
    ],
  });
}

/** `former`: the sitemaps, with the seq from which they have others. */
export async function replaceFiles(
  transaction: Transaction,
  former: readonly (SitemapKey & { readonly toSeq: number })[],
  rows: readonly NewGeneration[],
): Promise<void> {
  const files = rows.flatMap((row) => row.files.map((file) => ({ row, file })));
  const column = <Value>(value: (file: (typeof files)[number]) => Value) => files.map(value);
  await transaction.query({
    name: 'replace-files',
    text: `WITH ended AS (
             UPDATE sitemap_files AS f SET to_seq = former.to_seq
               FROM unnest($1::text[], $2::text[], $3::integer[]) AS former (domain_id, sitemap_name, to_seq)
              WHERE f.domain_id = former.domain_id AND f.sitemap_name = former.sitemap_name AND f.to_seq IS NULL
           ), new AS (
             SELECT * FROM unnest($4::text[], $5::text[], $6::integer[], $7::integer[], $8::text[], $9::integer[],
                                  $10::integer[], $11::bigint[], $12::bigint[], $13::text[], $14::timestamptz[],
                                  $15::bytea[])
                           AS new (domain_id, sitemap_name, from_seq, to_seq, upload_id, n, entries, bytes, gzip_bytes,
                                   etag, last_modified, content)
           ), small AS (
             INSERT INTO small_files (upload_id, n, content) SELECT upload_id, n, content FROM new
           )
           INSERT INTO sitemap_files (domain_id, sitemap_name, from_seq, to_seq, upload_id, n, upload_n, entries, bytes,
                                      gzip_bytes, etag, last_modified)
           SELECT domain_id, sitemap_name, from_seq, to_seq, upload_id, n, n, entries, bytes, gzip_bytes, etag, last_modified
             FROM new`,
    values: [
      former.map(({ domainId }) => domainId),
      former.map(({ sitemapName }) => sitemapName),
      former.map(({ toSeq }) => toSeq),
      column(({ row }) => row.domainId),
      column(({ row }) => row.sitemapName),
      column(({ row }) => row.seq),
      column(({ row }) => (row.isReplaced ? row.seq + 1 : null)),
      column(({ row }) => row.id),
      column(({ file }) => file.n),
      column(({ file }) => file.entries),
      column(({ file }) => file.bytes),
      column(({ file }) => file.gzipBytes),
      column(({ file }) => file.etag),
      column(({ file }) => file.lastModified),
      column(({ file }) => file.content),
    ],
  });
}

/** What a group of uploads makes of a sitemap. */
export interface RepointedSitemap {
  readonly accountId: string;
  /** The first upload of the group, which is the base of the next ones if there was none before. */
  readonly first: GenerationRow;
  readonly last: GenerationRow;
  /** Of the upload that was live. */
  readonly formerUrls: number;
}

export async function pointSitemapsTo(
  transaction: Transaction,
  sitemaps: readonly RepointedSitemap[],
): Promise<void> {
  await transaction.query({
    name: 'point-sitemaps-to',
    text: `INSERT INTO sitemaps (domain_id, name, upload_id, updated_at, compared_upload_id, compare_at, compare_account,
                                 compare_lane)
           SELECT domain_id, name, upload_id, updated_at, compared_upload_id, now(), compare_account, compare_lane
             FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::smallint[])
                    AS last (domain_id, name, upload_id, updated_at, compared_upload_id, compare_account, compare_lane)
           ON CONFLICT (domain_id, name) DO UPDATE
              SET upload_id = excluded.upload_id, updated_at = excluded.updated_at,
                  compared_upload_id = coalesce(sitemaps.compared_upload_id, sitemaps.upload_id), ${COMPARE_NEXT}`,
    values: [
      sitemaps.map(({ last }) => last.domainId),
      sitemaps.map(({ last }) => last.sitemapName),
      sitemaps.map(({ last }) => last.id),
      sitemaps.map(({ last }) => last.publishedAt),
      sitemaps.map(({ first, last }) => (first === last ? null : first.id)),
      sitemaps.map(({ accountId }) => accountId),
      sitemaps.map(({ last, formerUrls }) => laneOf(last.totals.urlCount + formerUrls)),
    ],
  });
}
