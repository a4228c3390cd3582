/** The SQL of indexes of URLs, and of uploads that are to be indexed. */
import { hasCode } from '../../platform/error-code.ts';
import {
  type Database,
  inTransaction,
  openTransaction,
  type Queryable,
  slowStatement,
} from '../../platform/postgres/database.ts';
import { LeaseLost, leasedFor } from '../../platform/postgres/lease.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import { addGarbage, markObjects, rescueFromGarbage } from '../sites/garbage-store.ts';
import { urlIndexKey } from '../sites/site.ts';

/** An upload whose sitemap is to be indexed. */
export interface DueIndex {
  readonly uploadId: string;
  /** The end of the lease as text, with microseconds. It is the fence, too. */
  readonly until: string;
}

/** The work of a dead process is due again after this time. */
const LEASE_MS = 5 * 60_000;

/** Takes the upload that has been due for longest. Returns no upload if none is due. */
export function takeDueIndex(queryable: Queryable) {
  return allRows<DueIndex>(queryable, {
    name: 'take-due-index',
    text: `UPDATE due_url_indexes SET due_at = ${leasedFor(LEASE_MS)}
            WHERE upload_id = (SELECT upload_id FROM due_url_indexes WHERE due_at <= now()
                                ORDER BY due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING upload_id AS "uploadId", due_at::text AS until`,
  });
}

/** Ends the lease. If the upload has become due again meanwhile, it stays due. */
export async function endIndex(queryable: Queryable, { uploadId, until }: DueIndex): Promise<void> {
  await queryable.query('DELETE FROM due_url_indexes WHERE upload_id = $1 AND due_at = $2', [
    uploadId,
    until,
  ]);
}

/** Gives the lease back: the upload is due again at once. */
export async function giveIndexBack(queryable: Queryable, { uploadId, until }: DueIndex): Promise<void> {
  await queryable.query('UPDATE due_url_indexes SET due_at = now() WHERE upload_id = $1 AND due_at = $2', [
    uploadId,
    until,
  ]);
}

/** A live file. Its bytes are file `uploadN` of the upload. */
export interface IndexedFile {
  readonly uploadId: string;
  readonly uploadN: number;
  readonly entries: number;
  /** The length of the XML. */
  readonly bytes: number;
}

/** Lists the files of a live upload that are in no index. Returns no file if the upload is no longer live. */
export function listFilesToIndex(queryable: Queryable, uploadId: string) {
  return allRows<IndexedFile>(
    queryable,
    slowStatement(
      `WITH live AS MATERIALIZED (
         SELECT f.upload_id, f.upload_n, f.entries, f.bytes
           FROM sitemaps s JOIN sitemap_files f ON f.domain_id = s.domain_id AND f.sitemap_name = s.name AND f.to_seq IS NULL
          WHERE s.upload_id = $1
       ), indexed AS MATERIALIZED (
         SELECT i.upload_id, unnest(i.files) AS upload_n FROM url_indexes i WHERE i.upload_id IN (SELECT upload_id FROM live)
       )
       SELECT upload_id AS "uploadId", upload_n AS "uploadN", entries, bytes FROM live
        WHERE NOT EXISTS (SELECT FROM indexed i WHERE i.upload_id = live.upload_id AND i.upload_n = live.upload_n)
        ORDER BY upload_id, upload_n`,
      [uploadId],
    ),
  );
}

/**
 * Extends the lease. If a delta has taken over the row of the upload and with it the end of the lease (`indexAfterDelta`), the lease
 * becomes that of the delta, because most files are still those of the upload. Throws LeaseLost.
 */
export async function renewIndex(queryable: Queryable, { uploadId, until }: DueIndex): Promise<DueIndex> {
  const { rows } = await queryable.query<DueIndex>(
    `UPDATE due_url_indexes SET due_at = ${leasedFor(LEASE_MS)}
      WHERE due_at = $2 AND (upload_id = $1 OR upload_id = (
              SELECT s.upload_id FROM uploads u JOIN sitemaps s ON s.domain_id = u.domain_id AND s.name = u.sitemap_name
               WHERE u.id = $1))
  RETURNING upload_id AS "uploadId", due_at::text AS until`,
    [uploadId, until],
  );
  if (rows[0] === undefined) throw new LeaseLost('another process has the index');
  return rows[0];
}

/** An index of some files of an upload. */
export interface UrlIndex {
  readonly uploadId: string;
  readonly name: string;
  readonly headBytes: number;
}

/** The time from `reserveIndex` to the collection of an object that has got no row. */
const UNFINISHED_MS = 3_600_000;

/** Call this function before the object of an index is stored. If the index never gets its row, the object is collected. */
export async function reserveIndex(queryable: Queryable, uploadId: string, name: string): Promise<void> {
  await addGarbage(queryable, [urlIndexKey(uploadId, name)], UNFINISHED_MS);
  await markObjects(queryable, [uploadId]);
}

/**
 * Inserts the row of an index. Returns false if the upload is gone, or the object was collected. In both cases, an object that still exists
 * stays in `garbage`.
 */
export async function insertUrlIndex(
  database: Database,
  { uploadId, name, headBytes }: UrlIndex,
  files: readonly number[],
): Promise<boolean> {
  await using opened = await openTransaction(database);
  const { transaction } = opened;
  try {
    if (!(await rescueFromGarbage(transaction, urlIndexKey(uploadId, name)))) return false;
    await transaction.query(
      'INSERT INTO url_indexes (upload_id, name, head_bytes, files) VALUES ($1, $2, $3, $4)',
      [uploadId, name, headBytes, files],
    );
  } catch (error) {
    // The upload was collected.
    if (hasCode(error, '23503')) return false;
    throw error;
  }
  await opened.commit();
  return true;
}

/**
 * Deletes the row of a damaged index. The object of the index is collected, and its files are indexed again. If a process just makes an
 * index of the same upload, it may have listed the files before. So this changes the fence of its lease, and the upload is due again after
 * the lease.
 */
export async function forgetUrlIndex(database: Database, { uploadId, name }: UrlIndex): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const { rowCount } = await transaction.query(
      'DELETE FROM url_indexes WHERE upload_id = $1 AND name = $2',
      [uploadId, name],
    );
    if (rowCount === 0) return;
    await addGarbage(transaction, [urlIndexKey(uploadId, name)], UNFINISHED_MS);
    await transaction.query(
      slowStatement(
        `INSERT INTO due_url_indexes (upload_id)
         SELECT DISTINCT s.upload_id FROM sitemap_files f
           JOIN sitemaps s ON s.domain_id = f.domain_id AND s.name = f.sitemap_name
          WHERE f.upload_id = $1 AND f.to_seq IS NULL
             ON CONFLICT (upload_id) DO UPDATE SET due_at = due_url_indexes.due_at + interval '1 microsecond'`,
        [uploadId],
      ),
    );
  });
}
