/** The SQL of sitemaps and their generations: uploads, rollbacks and deltas. */
import {
  pipelined,
  type Queryable,
  slowStatement,
  type Transaction,
} from '../../platform/postgres/database.ts';
import { firstRow } from '../../platform/postgres/rows.ts';
import { addKeptBytes, filesOf, IS_KEPT } from '../sites/garbage-store.ts';
import { insertSmallFiles } from '../sites/small-file-store.ts';
import type { EndedAttempt } from './attempt.ts';
import { attemptParameters, insertedAttempts, publishedAttempt } from './attempt-store.ts';
import type { ContentPrint } from './content-print.ts';
import type { NewPlace } from './placement/place-upload.ts';
import type { FileTotals, StagedFile } from './staging.ts';

export interface SitemapKey {
  readonly domainId: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
}

/** A generation of a sitemap that is being published. */
export interface GenerationRow extends SitemapKey {
  /** The id of the upload, the rollback or the delta. */
  readonly id: string;
  readonly seq: number;
  readonly totals: FileTotals;
  readonly print: ContentPrint | null;
  readonly publishedAt: Date;
}

export interface LiveGeneration extends FileTotals {
  readonly id: string;
  readonly seq: number;
  /** Null if the version of Waypost that took the upload recorded no prints. */
  readonly print: ContentPrint | null;
}

/** The columns of `LiveGeneration`, from the upload `u`. The digest is text, because a JSON number would lose digits. */
export const GENERATION = `u.id, u.seq, u.url_count AS "urlCount", u.file_count AS "fileCount", u.bytes,
  u.gzip_bytes AS "gzipBytes", CASE WHEN u.digest IS NOT NULL THEN json_build_object('digest', u.digest::text,
  'entriesPerFile', u.entries_per_file, 'xmlVersion', u.xml_version) END AS print`;

/** The columns of a new row of `uploads`: their names, types and values. */
export const UPLOAD_COLUMNS: readonly (readonly [
  name: string,
  type: string,
  read: (row: GenerationRow) => unknown,
])[] = [
  ['id', 'text', ({ id }) => id],
  ['domain_id', 'text', ({ domainId }) => domainId],
  ['sitemap_name', 'text', ({ sitemapName }) => sitemapName],
  ['seq', 'integer', ({ seq }) => seq],
  ['url_count', 'bigint', ({ totals }) => totals.urlCount],
  ['file_count', 'integer', ({ totals }) => totals.fileCount],
  ['bytes', 'bigint', ({ totals }) => totals.bytes],
  ['gzip_bytes', 'bigint', ({ totals }) => totals.gzipBytes],
  ['published_at', 'timestamptz', ({ publishedAt }) => publishedAt],
  ['digest', 'bigint', ({ print }) => print?.digest ?? null],
  ['entries_per_file', 'integer', ({ print }) => print?.entriesPerFile ?? null],
  ['xml_version', 'smallint', ({ print }) => print?.xmlVersion ?? null],
];

export const UPLOAD_COLUMN_NAMES = UPLOAD_COLUMNS.map(([name]) => name).join(', ');
const PLACEHOLDERS = UPLOAD_COLUMNS.map((_, i) => `$${i + 1}`).join(', ');
const valuesOf = (row: GenerationRow) => UPLOAD_COLUMNS.map(([, , read]) => read(row));

/**
 * Inserts an upload and its files, and records `attempts` in the same statement. `attempts` is empty for a held upload, because its
 * attempt is recorded already, and for a dry run, because its transaction is rolled back. Returns the number of files that differ from
 * the former file of the same number.
 */
export async function insertUpload(
  transaction: Transaction,
  row: GenerationRow,
  files: readonly StagedFile[],
  attempts: readonly EndedAttempt[],
): Promise<number> {
  const places = files.map((file, i) => ({ ...file, n: i + 1, uploadId: row.id, uploadN: file.n }));
  return insertPlaces(transaction, row, places, { endedFrom: 1, attempts });
}

/**
 * Inserts an upload as `insertUpload` does. Ends the live files with the numbers of `places`, and the live files beyond the number of files
 * of the new generation. All other live files stay.
 */
export function insertPlacedUpload(
  transaction: Transaction,
  row: GenerationRow,
  places: readonly NewPlace[],
  attempts: readonly EndedAttempt[],
): Promise<number> {
  return insertPlaces(transaction, row, places, { endedFrom: row.totals.fileCount + 1, attempts });
}

/** Inserts a delta as `insertPlacedUpload` does. `deltaOf` is the id of the last generation before the delta that is not a delta itself. */
export function insertDelta(
  transaction: Transaction,
  row: GenerationRow,
  places: readonly NewPlace[],
  deltaOf: string,
  attempts: readonly EndedAttempt[],
): Promise<number> {
  return insertPlaces(transaction, row, places, {
    endedFrom: row.totals.fileCount + 1,
    attempts,
    deltaOf,
  });
}

interface Insertion {
  /** The insertion ends the live files with this number or a higher number, and the live files with the numbers of the new files. */
  readonly endedFrom: number;
  readonly attempts: readonly EndedAttempt[];
  readonly deltaOf?: string;
}

async function insertPlaces(
  transaction: Transaction,
  row: GenerationRow,
  files: readonly NewPlace[],
  { endedFrom, attempts, deltaOf }: Insertion,
): Promise<number> {
  const { id, domainId, sitemapName, seq, publishedAt } = row;
  const hasObjects = files.some(({ content }) => content === undefined);
  const isRecorded = attempts.length === 0;
  const recording = isRecorded ? publishedAttempt('$1', '$2', '$4', '$5') : insertedAttempts('$14', '$15');
  const kind = deltaOf === undefined ? 'upload' : 'delta';
  const insertRow = transaction.query({
    name: `insert-${kind}-${hasObjects ? 'with' : 'without'}-objects-${isRecorded ? 'recorded' : 'new'}`,
    text: `WITH ${recording}
     INSERT INTO uploads (${UPLOAD_COLUMN_NAMES}, objects, kind, delta_of)
     VALUES (${PLACEHOLDERS}, ${hasObjects ? 'NULL' : '0'}, '${kind}', $13)`,
    values: [...valuesOf(row), deltaOf ?? null, ...(isRecorded ? [] : attemptParameters(attempts))],
  });
  // This statement is as fast as COPY. We do not use COPY: while a COPY waits for a dead client, Postgres does not count the connection as
  // idle (docs/decisions/0015).
  const insertAll = transaction.query<InsertedFiles>(
    slowStatement(
      insertFiles(
        `SELECT f.upload_id, f.n, f.upload_n, f.entries, f.bytes, f.gzip_bytes, f.etag, NULL::timestamptz
           FROM unnest($6::text[], $7::integer[], $8::integer[], $9::integer[], $10::integer[], $11::integer[], $12::text[])
                  AS f (upload_id, n, upload_n, entries, bytes, gzip_bytes, etag)`,
        '(n >= $5::integer OR n = ANY($7::integer[]))',
      ),
      [
        domainId,
        sitemapName,
        seq,
        publishedAt,
        endedFrom,
        files.map(({ uploadId }) => uploadId),
        files.map(({ n }) => n),
        files.map(({ uploadN }) => uploadN),
        files.map(({ entries }) => entries),
        files.map(({ bytes }) => bytes),
        files.map(({ gzipBytes }) => gzipBytes),
        files.map(({ etag }) => etag),
      ],
      'insert-placed-files',
    ),
  );
  const small = files.flatMap(({ uploadN, content }) =>
    content ? [{ uploadId: id, n: uploadN, content }] : [],
  );
  const [, { rows }] = await pipelined([insertRow, insertAll, insertSmallFiles(transaction, small)]);
  return rows[0]!.changed;
}

/**
 * Inserts a generation with the files of the generation `restores`. It copies rows, but no objects. Returns the number of files that differ
 * from the former file of the same number.
 */
export async function insertRollback(
  transaction: Transaction,
  row: GenerationRow,
  restores: number,
): Promise<number> {
  const { domainId, sitemapName, seq, totals, publishedAt } = row;
  await transaction.query(
    `INSERT INTO uploads (${UPLOAD_COLUMN_NAMES}, kind, restores, objects) VALUES (${PLACEHOLDERS}, 'rollback', $13, 0)`,
    [...valuesOf(row), restores],
  );
  const { rows } = await transaction.query<InsertedFiles>(
    slowStatement(
      insertFiles(
        `SELECT f.upload_id, f.n, f.upload_n, f.entries, f.bytes, f.gzip_bytes, f.etag, NULL::timestamptz FROM sitemap_files f
          WHERE f.domain_id = $1 AND f.sitemap_name = $2 AND ${filesOf('$5::integer')}`,
        'true',
      ),
      [domainId, sitemapName, seq, publishedAt, restores],
    ),
  );
  const { files, changed } = rows[0]!;
  if (files !== totals.fileCount)
    throw new Error(`generation ${restores} has ${files} of ${totals.fileCount} files`);
  return changed;
}

/** `changed` counts the files that differ from the former file of the same number. */
interface InsertedFiles {
  readonly files: number;
  readonly changed: number;
}

/**
 * A statement that inserts the files of generation $3 of sitemap $2 in domain $1, published at $4, from the rows of `files`. The statement
 * also ends the live files of the former generation for which `ends` holds. If their upload is in `garbage` already, the statement counts
 * their bytes as kept. A file that equals the former one of the same number keeps its `last_modified`. Returns one row, `InsertedFiles`.
 */
function insertFiles(files: string, ends: string): string {
  // The statement compares by a window and not by a join. Postgres does not know how many rows were just written, and may join them by
  // nested loops.
  return `WITH former AS (
      UPDATE sitemap_files SET to_seq = $3::integer
       WHERE domain_id = $1 AND sitemap_name = $2 AND to_seq IS NULL AND ${ends}
      RETURNING n, etag, last_modified, upload_id, from_seq, gzip_bytes
    ), kept AS (${addKeptBytes('former')}), both_generations (upload_id, n, upload_n, entries, bytes, gzip_bytes, etag, last_modified) AS (
      ${files}
      UNION ALL SELECT NULL, n, NULL, NULL, NULL, NULL, etag, last_modified FROM former
    ), compared AS (
      SELECT *, max(last_modified) OVER (PARTITION BY n, etag) AS former_modified FROM both_generations
    ), inserted AS (
      INSERT INTO sitemap_files (domain_id, sitemap_name, from_seq, upload_id, n, upload_n, entries, bytes, gzip_bytes, etag,
                                 last_modified)
      SELECT $1, $2, $3::integer, upload_id, n, upload_n, entries, bytes, gzip_bytes, etag,
             coalesce(former_modified, $4::timestamptz)
        FROM compared WHERE upload_id IS NOT NULL
    )
    SELECT count(*) AS files, count(*) FILTER (WHERE former_modified IS NULL) AS changed
      FROM compared WHERE upload_id IS NOT NULL`;
}

/** Returns undefined if there is no such sitemap. */
export function findLiveGeneration(queryable: Queryable, domainId: string, sitemapName: string) {
  return firstRow<LiveGeneration>(
    queryable,
    `SELECT ${GENERATION} FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
      WHERE s.domain_id = $1 AND s.name = $2`,
    [domainId, sitemapName],
  );
}

/** Returns undefined if the sitemap never had the generation `seq`, or if the row of the generation is gone. */
export function findGeneration(
  queryable: Queryable,
  { domainId, sitemapName, seq }: SitemapKey & { readonly seq: number },
): Promise<(LiveGeneration & { readonly isKept: boolean }) | undefined> {
  return firstRow<LiveGeneration & { readonly isKept: boolean }>(
    queryable,
    `SELECT ${GENERATION}, ${IS_KEPT} AS "isKept" FROM uploads u
      WHERE u.domain_id = $1 AND u.sitemap_name = $2 AND u.seq = $3`,
    [domainId, sitemapName, seq],
  );
}

/**
 * Marks all uploads of a sitemap as replaced, and keeps sites from naming them as former, even if the sitemap is
 * uploaded again.
 */
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

/** Deletes the row of a sitemap. Keeps its seq in the domain, because the generations of new sitemaps in the domain continue from there. */
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
