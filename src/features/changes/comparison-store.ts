/** The SQL of comparisons that have ended, and of the files that they read. */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import type { StoredFile } from '../entries/entry-kernel.ts';
import { filesOf, IS_KEPT, STORES_PARTS } from '../sites/garbage-store.ts';
import type { ChangeCounts, ChangeSamples, ComparisonState } from './comparison.ts';
import type { Origins } from './thread-messages.ts';

/** A file of an upload. Two files with the same etag and the same lengths have the same content. */
export interface UploadFile extends StoredFile {
  readonly etag: string;
  readonly gzipBytes: number;
  /** The upload whose file `uploadN` is the stored object. */
  readonly uploadId: string;
  readonly uploadN: number;
}

/** Returns the files of an upload in order; undefined if the upload is gone. */
export async function findUploadFiles(
  queryable: Queryable,
  uploadId: string,
): Promise<UploadFile[] | undefined> {
  const { rows } = await queryable.query<UploadFile & { fileCount: number }>(
    slowStatement(
      `SELECT u.file_count AS "fileCount", f.n, f.entries, f.bytes, f.gzip_bytes AS "gzipBytes", f.etag, f.upload_id AS "uploadId",
              f.upload_n AS "uploadN"
         FROM uploads u JOIN sitemap_files f ON f.domain_id = u.domain_id AND f.sitemap_name = u.sitemap_name
        WHERE u.id = $1 AND ${filesOf('u.seq')} ORDER BY f.n`,
      [uploadId],
    ),
  );
  // Collectors delete the rows of a generation that has ended one by one, so only some of its rows may be left.
  return rows.length === 0 || rows.length < rows[0]!.fileCount ? undefined : rows;
}

/** Whether two uploads have XML of different versions (`core/sitemap/xml-version.ts`). An upload without a version has version 1. */
export async function haveOtherXml(
  queryable: Queryable,
  uploadId: string,
  formerId: string,
): Promise<boolean> {
  const { rows } = await queryable.query<{ differ: boolean }>(
    'SELECT count(DISTINCT coalesce(xml_version, 1)) > 1 AS differ FROM uploads WHERE id IN ($1, $2)',
    [uploadId, formerId],
  );
  return rows[0]!.differ;
}

/** A generation of a sitemap. A live or kept generation can be compared. */
interface ComparedGeneration {
  readonly id: string;
  readonly seq: number;
  readonly isLive: boolean;
  readonly isKept: boolean;
  /** The time by the clock of the database. */
  readonly askedAt: Date;
}

/** Returns the live generation and the generations with the numbers `seqs`, as far as they exist. */
export function findComparedGenerations(
  queryable: Queryable,
  domainId: string,
  sitemapName: string,
  seqs: readonly number[],
) {
  return allRows<ComparedGeneration>(
    queryable,
    `SELECT u.id, u.seq, s.upload_id = u.id AS "isLive", ${IS_KEPT} AS "isKept", now() AS "askedAt"
       FROM sitemaps s JOIN uploads u ON u.domain_id = s.domain_id AND u.sitemap_name = s.name
      WHERE s.domain_id = $1 AND s.name = $2 AND (u.seq = ANY($3) OR u.id = s.upload_id)`,
    [domainId, sitemapName, seqs],
  );
}

/** The numbers of URLs by origin that are recorded of an upload, or of a delta. */
export interface RecordedOrigins {
  /** Undefined if the numbers are not known: the upload, or the upload below the delta, is not compared yet, or has too many origins. */
  readonly origins: Origins | undefined;
  /** For a delta whose `origins` are not known: the numbers that the deltas on the upload have added, minus those that they removed. */
  readonly added: Origins | undefined;
}

export async function findOrigins(queryable: Queryable, uploadId: string): Promise<RecordedOrigins> {
  const { rows } = await queryable.query<{ origins: Origins | null; added: Origins | null }>({
    name: 'find-origins',
    text: 'SELECT origins, added_origins AS added FROM comparisons WHERE upload_id = $1',
    values: [uploadId],
  });
  return { origins: rows[0]?.origins ?? undefined, added: rows[0]?.added ?? undefined };
}

/** Returns the id of the live upload of a sitemap; undefined if there is no such sitemap. */
export async function findLiveUpload(
  queryable: Queryable,
  domainId: string,
  sitemapName: string,
): Promise<string | undefined> {
  const { rows } = await queryable.query<{ id: string }>(
    'SELECT upload_id AS id FROM sitemaps WHERE domain_id = $1 AND name = $2',
    [domainId, sitemapName],
  );
  return rows[0]?.id;
}

/** Records the origins of a delta that was published before the upload below it was compared. */
export async function setOrigins(
  queryable: Queryable,
  uploadId: string,
  origins: Origins | undefined,
): Promise<void> {
  await queryable.query('UPDATE comparisons SET origins = $2, added_origins = NULL WHERE upload_id = $1', [
    uploadId,
    origins && JSON.stringify(origins),
  ]);
}

export interface EndedComparison {
  readonly state: ComparisonState;
  readonly counts: ChangeCounts;
  readonly samples: ChangeSamples;
  /** The number of objects that list all changes. 0 for a small list, which is in the row of the comparison (`findChangesList`). */
  readonly parts: number;
}

/** Returns the result of a comparison that tells no changes. */
export function withoutChanges(state: ComparisonState): EndedComparison {
  const counts = { added: 0, changed: 0, removed: 0 };
  return { state, counts, samples: { added: [], changed: [], removed: [] }, parts: 0 };
}

/** The columns of a comparison that only this room reads. */
export interface ComparisonRow {
  readonly origins: Origins | undefined;
  /** As in `RecordedOrigins`. */
  readonly added?: Origins | undefined;
  /** The list of changes as gzip. Undefined: the list is in objects, or there is none. */
  readonly list: Buffer | undefined;
  readonly seconds: number;
}

export async function insertComparison(
  queryable: Queryable,
  { uploadId, formerUploadId }: { readonly uploadId: string; readonly formerUploadId: string | null },
  ended: EndedComparison,
  { origins, added, list, seconds }: ComparisonRow,
): Promise<void> {
  const { state, counts, samples, parts } = ended;
  await queryable.query({
    name: 'insert-comparison',
    text: `INSERT INTO comparisons (upload_id, former_upload_id, state, added, changed, removed, samples, parts, list, origins, seconds, added_origins)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     -- A delta told its changes already. If the upload below it is gone, it is compared in its place.
     ON CONFLICT (upload_id) DO UPDATE
        SET (former_upload_id, state, added, changed, removed, samples, parts, list, origins, seconds, added_origins, ended_at) =
            (excluded.former_upload_id, excluded.state, excluded.added, excluded.changed, excluded.removed, excluded.samples,
             excluded.parts, excluded.list, excluded.origins, excluded.seconds, excluded.added_origins, now())`,
    values: [
      ...[uploadId, formerUploadId, state, counts.added, counts.changed, counts.removed],
      ...[JSON.stringify(samples), parts, list, origins && JSON.stringify(origins), seconds],
      added && JSON.stringify(added),
    ],
  });
}

/** Returns the small list of the changes of an upload, as gzip; undefined if the list is in objects, or if there is no list. */
export async function findChangesList(queryable: Queryable, uploadId: string): Promise<Buffer | undefined> {
  const { rows } = await queryable.query<{ list: Buffer | null }>(
    'SELECT list FROM comparisons WHERE upload_id = $1',
    [uploadId],
  );
  return rows[0]?.list ?? undefined;
}

/** Marks an upload before objects are stored beside its files. Returns false if it is marked already, or has objects. */
export async function markParts(queryable: Queryable, uploadId: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `UPDATE uploads SET objects = ${STORES_PARTS} WHERE id = $1 AND objects = 0`,
    [uploadId],
  );
  return rowCount === 1;
}

/**
 * Records how many objects the upload has, so that the collector need not list them. Does nothing if other objects were stored meanwhile.
 */
export async function nameParts(queryable: Queryable, uploadId: string, parts: number): Promise<void> {
  await queryable.query(`UPDATE uploads SET objects = $2 WHERE id = $1 AND objects = ${STORES_PARTS}`, [
    uploadId,
    parts,
  ]);
}

/** The live upload of a sitemap, and the result of its comparison. */
export interface SitemapChanges {
  readonly uploadId: string;
  /** Null: the sitemap had no upload before, or a version of Waypost that did not compare uploads published the live one. */
  readonly formerUploadId: string | null;
  /** Undefined until the comparison has ended. */
  readonly ended: (EndedComparison & { readonly endedAt: Date }) | undefined;
}

type ChangesRow = Omit<SitemapChanges, 'ended'> &
  ChangeCounts &
  Omit<EndedComparison, 'counts' | 'state'> & {
    readonly isDue: boolean;
    readonly state: ComparisonState | null;
    readonly endedAt: Date;
  };

/** Returns the changes by the live upload of a sitemap; undefined if there is no such sitemap. */
export async function findSitemapChanges(
  queryable: Queryable,
  domainId: string,
  sitemapName: string,
): Promise<SitemapChanges | undefined> {
  const { rows } = await queryable.query<ChangesRow>(
    `SELECT s.upload_id AS "uploadId", s.compared_upload_id IS DISTINCT FROM s.upload_id AS "isDue",
            CASE WHEN c.upload_id IS NULL THEN nullif(s.compared_upload_id, s.upload_id)
                 ELSE c.former_upload_id END AS "formerUploadId",
            c.state, c.added, c.changed, c.removed, c.samples, c.parts, coalesce(c.ended_at, s.updated_at) AS "endedAt"
       FROM sitemaps s LEFT JOIN comparisons c ON c.upload_id = s.upload_id
      WHERE s.domain_id = $1 AND s.name = $2`,
    [domainId, sitemapName],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { uploadId, formerUploadId, isDue, endedAt, state, samples, parts, added, changed, removed } = row;
  // The row of a delta has its changes already while the upload below the delta is still to be compared.
  if (isDue && state === null) return { uploadId, formerUploadId, ended: undefined };
  // An older version of Waypost published this upload, and did not compare uploads.
  if (state === null) return { uploadId, formerUploadId, ended: { ...withoutChanges('unknown'), endedAt } };
  const ended = { state, counts: { added, changed, removed }, samples, parts, endedAt };
  return { uploadId, formerUploadId, ended };
}
