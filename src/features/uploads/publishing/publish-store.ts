/**
 * The SQL of publishing many generations at once. Each statement works on all rows of a group, and its plan is kept. So a group of fifty
 * uploads costs little more than a single upload.
 */
import { KEPT_PLANS, type Queryable, type Transaction } from '../../../platform/postgres/database.ts';
import { COMPARE_NEXT, laneOf } from '../../sites/due-comparison.ts';
import { addKeptBytes } from '../../sites/garbage-store.ts';
import type { EndedAttempt } from '../attempt.ts';
import { attemptParameters, insertedAttempts } from '../attempt-store.ts';
import { DUE_AGAIN } from '../freshness/freshness-store.ts';
import type { FileTotals } from '../staging.ts';
import {
  GENERATION,
  type GenerationRow,
  type LiveGeneration,
  type SitemapKey,
  UPLOAD_COLUMN_NAMES,
  UPLOAD_COLUMNS,
} from '../upload-store.ts';

/** A group waits this long for a lock. */
const LOCK_TIMEOUT_MS = 100;

/** The settings of the transaction of a group. */
export const GROUP_SETTINGS = { ...KEPT_PLANS, lock_timeout: LOCK_TIMEOUT_MS };

/** A sitemap before the transaction. */
export interface FormerSitemap extends SitemapKey {
  /** Null if there is no such sitemap. */
  readonly live: LiveGeneration | null;
  /**
   * The entity tags of the live files, which the next generation ends. File n has the index n - 1. A deleted sitemap of the same name may
   * have left live files, too. Empty if no files were read.
   */
  readonly etags: readonly string[];
  readonly lastModified: readonly Date[];
  /**
   * The time of the next generation, by the clock of the database, in whole seconds as in sitemaps, listings and HTTP dates. It is not
   * before the time of the live generation, because crawlers with that time do not get files with an earlier time. A live time of more than
   * an hour ahead came from a clock that was ahead, and does not count (docs/decisions/0090).
   */
  readonly nextAt: Date;
  /** The number (`seq`) of the last delta. Null if there was none. */
  readonly lastDeltaSeq: number | null;
  /** Whether the sitemap has more files than `mostFiles`. */
  readonly hasMoreFiles: boolean;
}

/** `mostFiles` is the limit of files to read for each sitemap. If it is undefined, no files are read. */
export async function findFormerSitemaps(
  queryable: Queryable,
  sitemaps: readonly SitemapKey[],
  mostFiles: number | undefined,
): Promise<FormerSitemap[]> {
  type Row = Omit<FormerSitemap, 'live' | 'hasMoreFiles'> & (LiveGeneration | { id: null });
  const { rows } = await queryable.query<Row>({
    name: 'find-former-sitemaps',
    text: `SELECT wanted.domain_id AS "domainId", wanted.name AS "sitemapName", ${GENERATION},
                  greatest(clock.now, CASE WHEN u.published_at < clock.now + interval '1 hour' THEN u.published_at END) AS "nextAt",
                  s.last_delta_seq AS "lastDeltaSeq", coalesce(f.etags, '{}') AS etags, coalesce(f.last_modified, '{}') AS "lastModified"
             FROM unnest($1::text[], $2::text[]) AS wanted (domain_id, name)
                  -- The transaction may have begun long before it got its locks.
                  CROSS JOIN date_trunc('second', clock_timestamp()) AS clock (now)
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
      mostFiles === undefined ? 0 : mostFiles + 1,
    ],
  });
  return rows.map(({ domainId, sitemapName, etags, lastModified, nextAt, lastDeltaSeq, ...live }) => ({
    domainId,
    nextAt,
    lastDeltaSeq,
    sitemapName,
    etags,
    lastModified,
    hasMoreFiles: mostFiles !== undefined && etags.length > mostFiles,
    live: live.id === null ? null : live,
  }));
}

/** A generation whose files are all small. */
export interface NewGeneration extends GenerationRow {
  /** Whether a later generation of the same transaction has replaced it. */
  readonly isReplaced: boolean;
  readonly attempts: readonly EndedAttempt[];
  readonly files: readonly NewFile[];
}

/** A small file. */
export interface NewFile extends Pick<FileTotals, 'bytes' | 'gzipBytes'> {
  readonly n: number;
  readonly entries: number;
  readonly etag: string;
  readonly lastModified: Date;
  readonly content: Buffer;
}

/** Inserts uploads and their attempts. */
export async function insertUploads(transaction: Transaction, rows: readonly NewGeneration[]): Promise<void> {
  const columns = UPLOAD_COLUMNS.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ');
  await transaction.query({
    name: 'insert-uploads',
    text: `WITH ${insertedAttempts('$13', '$14')}
           INSERT INTO uploads (${UPLOAD_COLUMN_NAMES}, objects)
           SELECT *, 0 FROM unnest(${columns})`,
    values: [
      ...UPLOAD_COLUMNS.map(([, , read]) => rows.map(read)),
      ...attemptParameters(rows.flatMap(({ attempts }) => attempts)),
    ],
  });
}

/** `former` are the sitemaps whose live files end. `toSeq` is the seq of the first generation that has new files. */
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
             RETURNING f.upload_id, f.from_seq, f.gzip_bytes
           ), kept AS (${addKeptBytes('ended')}), new AS (
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

/**
 * Records that the newest upload of each of these sitemaps has the content of the live generation. Also records the attempts of these
 * uploads. Returns the domains whose site has an unwritten change. The change may be of this transaction or of an earlier one.
 */
export async function confirmSitemaps(
  transaction: Transaction,
  sitemaps: readonly SitemapKey[],
  attempts: readonly EndedAttempt[],
): Promise<ReadonlySet<string>> {
  const { rows } = await transaction.query<{ domainId: string; isSiteDue: boolean }>({
    name: 'confirm-sitemaps',
    text: `WITH ${insertedAttempts('$3', '$4')}
           UPDATE sitemaps AS s SET confirmed_at = now(), fresh_until = ${DUE_AGAIN}
             FROM unnest($1::text[], $2::text[]) AS confirmed (domain_id, name)
            WHERE s.domain_id = confirmed.domain_id AND s.name = confirmed.name
           RETURNING s.domain_id AS "domainId",
                     EXISTS (SELECT FROM domains d JOIN site_changes c ON c.hostname = d.hostname
                              WHERE d.id = s.domain_id) AS "isSiteDue"`,
    values: [
      sitemaps.map(({ domainId }) => domainId),
      sitemaps.map(({ sitemapName }) => sitemapName),
      ...attemptParameters(attempts),
    ],
  });
  return new Set(rows.filter(({ isSiteDue }) => isSiteDue).map(({ domainId }) => domainId));
}

/** The new state of a sitemap after the transaction. */
export interface RepointedSitemap {
  readonly accountId: string;
  /** Whether the new generation is a delta. Then it is the only generation of its transaction. */
  readonly isDelta: boolean;
  /** Whether the sitemap was only rolled back. A rollback is not an upload of the producer, so `fresh_until` stays. */
  readonly isRollback: boolean;
  /**
   * The first new generation. If the sitemap is new and this generation is not the last one, it is the base of the next comparison,
   * although it was not compared itself.
   */
  readonly first: GenerationRow;
  readonly last: GenerationRow;
  /** The number of URLs of the upload that was live. */
  readonly formerUrls: number;
}

export async function pointSitemapsTo(
  transaction: Transaction,
  sitemaps: readonly RepointedSitemap[],
): Promise<void> {
  if (sitemaps.length === 0) return;
  await transaction.query({
    name: 'point-sitemaps-to',
    text: `INSERT INTO sitemaps (domain_id, name, upload_id, updated_at, compared_upload_id, compare_at, compare_account,
                                 compare_lane, fresh_until)
           SELECT last.domain_id, last.name, last.upload_id, last.updated_at, last.compared_upload_id, now(), last.compare_account,
                  last.compare_lane, CASE WHEN last.is_rollback THEN s.fresh_until ELSE ${DUE_AGAIN} END
             FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::smallint[], $8::boolean[])
                    AS last (domain_id, name, upload_id, updated_at, compared_upload_id, compare_account, compare_lane, is_rollback)
                  LEFT JOIN sitemaps s ON s.domain_id = last.domain_id AND s.name = last.name
           ON CONFLICT (domain_id, name) DO UPDATE
              SET upload_id = excluded.upload_id, updated_at = excluded.updated_at, fresh_until = excluded.fresh_until,
                  compared_upload_id = coalesce(sitemaps.compared_upload_id, sitemaps.upload_id), ${COMPARE_NEXT}`,
    values: [
      sitemaps.map(({ last }) => last.domainId),
      sitemaps.map(({ last }) => last.sitemapName),
      sitemaps.map(({ last }) => last.id),
      sitemaps.map(({ last }) => last.publishedAt),
      sitemaps.map(({ first, last }) => (first === last ? null : first.id)),
      sitemaps.map(({ accountId }) => accountId),
      sitemaps.map(({ last, formerUrls }) => laneOf(last.totals.urlCount + formerUrls)),
      sitemaps.map(({ isRollback }) => isRollback),
    ],
  });
}

/**
 * Does what `pointSitemapsTo` does, for deltas. The changes of a delta are known, so a delta needs no comparison. If the former generation
 * was compared, the delta counts as compared. If it was not, the comparison of the last upload is still due.
 */
export async function pointSitemapsToDeltas(
  transaction: Transaction,
  sitemaps: readonly RepointedSitemap[],
): Promise<void> {
  if (sitemaps.length === 0) return;
  await transaction.query({
    name: 'point-sitemaps-to-deltas',
    text: `UPDATE sitemaps AS s
              SET upload_id = last.upload_id, updated_at = last.updated_at, last_delta_seq = last.seq,
                  fresh_until = ${DUE_AGAIN},
                  compared_upload_id = CASE WHEN s.compared_upload_id = s.upload_id THEN last.upload_id
                                            ELSE s.compared_upload_id END
             FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::integer[])
                    AS last (domain_id, name, upload_id, updated_at, seq)
            WHERE s.domain_id = last.domain_id AND s.name = last.name`,
    values: [
      sitemaps.map(({ last }) => last.domainId),
      sitemaps.map(({ last }) => last.sitemapName),
      sitemaps.map(({ last }) => last.id),
      sitemaps.map(({ last }) => last.publishedAt),
      sitemaps.map(({ last }) => last.seq),
    ],
  });
}
