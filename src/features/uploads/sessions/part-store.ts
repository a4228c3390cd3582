/** The SQL of the parts of upload sessions, and of their writers. */
import { type Queryable, slowStatement, type Transaction } from '../../../platform/postgres/database.ts';
import { allRows, firstRow } from '../../../platform/postgres/rows.ts';
import { UPLOADS_PREFIX } from '../../sites/site.ts';
import type { StagedFile } from '../staging.ts';
import { IS_OPEN } from './session-store.ts';

export interface PartSummary {
  /** The number of the part, from 1. */
  readonly part: number;
  /** The id of the list of its rejected entries. */
  readonly writerId: string;
  /** The digest of its files and of its number of rejected entries: parts with the same digest publish the same. */
  readonly digest: string;
  readonly urlCount: number;
  readonly rejected: number;
  readonly gzipBytes: number;
  readonly receivedAt: Date;
}

export interface StoredPart extends Omit<PartSummary, 'receivedAt'> {
  /** The sum of the seeded hashes of its entries, modulo 2^64: a decimal with a sign. */
  readonly entriesDigest: string;
  /** All files are objects. */
  readonly files: readonly StagedFile[];
}

const SUMMARY = `part, writer_id AS "writerId", digest, url_count AS "urlCount", rejected, gzip_bytes AS "gzipBytes"`;
export const STORED = `${SUMMARY}, entries_digest::text AS "entriesDigest", files`;

export function listParts(queryable: Queryable, sessionId: string, limit: number, after: number) {
  return allRows<PartSummary>(
    queryable,
    `SELECT ${SUMMARY}, received_at AS "receivedAt" FROM upload_session_parts
      WHERE session_id = $1 AND part > $2 ORDER BY part LIMIT $3`,
    [sessionId, after, limit],
  );
}

/** Returns all parts in the order of their numbers. The description of a file takes some 5 KB. */
export function readParts(queryable: Queryable, sessionId: string) {
  return allRows<StoredPart>(
    queryable,
    slowStatement(`SELECT ${STORED} FROM upload_session_parts WHERE session_id = $1 ORDER BY part`, [
      sessionId,
    ]),
  );
}

/** The most writers of a session. With NUMBERS_OF_WRITER for each, the numbers of files fit into 31 bits. */
const MAX_WRITERS = 42_000;

/**
 * Begins `count` writers of the session. Each claims the first `claimed` of its numbers. `fence`: the fence of a commit that writes.
 * Returns the numbers of the writers, from 1. Returns none if the session takes no files now, or has had too many writers.
 */
export async function beginWriters(
  queryable: Queryable,
  sessionId: string,
  count: number,
  claimed: number,
  fence?: number,
): Promise<number[]> {
  const { rows } = await queryable.query<{ n: number }>(
    slowStatement(
      `WITH begun AS (
         UPDATE upload_sessions AS s SET writers = writers + $2
          WHERE s.id = $1 AND s.writers + $2 <= ${MAX_WRITERS} AND ${mayWrite('$4')} RETURNING s.writers AS last
       )
       INSERT INTO upload_session_writers (session_id, n, claimed)
       SELECT $1, n, $3 FROM begun, generate_series(last - $2 + 1, last) AS writer (n) RETURNING n`,
      [sessionId, count, claimed, fence ?? null],
      'begin-writers',
    ),
  );
  return rows.map(({ n }) => n);
}

/** Claims the first `claimed` numbers of a writer. Returns false if the session does not take files now. */
export async function claimNumbers(
  queryable: Queryable,
  { sessionId, n }: { readonly sessionId: string; readonly n: number },
  claimed: number,
  fence: number | undefined,
): Promise<boolean> {
  const { rowCount } = await queryable.query(
    // The lock orders the claim and the end of the session. The end lists all numbers that were claimed before.
    slowStatement(
      `WITH session AS (
         SELECT s.id FROM upload_sessions s WHERE s.id = $1 AND ${mayWrite('$4')} FOR SHARE
       )
       UPDATE upload_session_writers AS w SET claimed = $3 FROM session WHERE w.session_id = session.id AND w.n = $2`,
      [sessionId, n, claimed, fence ?? null],
    ),
  );
  return rowCount === 1;
}

const mayWrite = (fence: string) =>
  `CASE WHEN ${fence}::bigint IS NULL THEN ${IS_OPEN} ELSE s.status = 'open' AND s.commit_fence = ${fence} END`;

/** Ends a writer that left no objects, or whose objects are in a part now. */
export async function endWriter(queryable: Queryable, sessionId: string, n: number): Promise<void> {
  await queryable.query('DELETE FROM upload_session_writers WHERE session_id = $1 AND n = $2', [
    sessionId,
    n,
  ]);
}

/** A writer that is cut off stores nothing after this time. */
const LATE_WRITES = `interval '24 hours'`;

/** Ends all writers of ended sessions, and lists in `garbage` all that they may have stored, or may still store. */
export async function endWriters(transaction: Transaction, sessionIds: readonly string[]): Promise<void> {
  await transaction.query(
    slowStatement(
      `WITH ended AS (DELETE FROM upload_session_writers WHERE session_id = ANY($1) RETURNING session_id, n, claimed)
       INSERT INTO garbage (prefix, collect_after)
       SELECT '${UPLOADS_PREFIX}' || s.upload_id || '/' || (ended.n - 1) * ${NUMBERS_OF_WRITER} + file.n || '.',
              now() + ${LATE_WRITES}
         FROM ended JOIN upload_sessions s ON s.id = ended.session_id, generate_series(1, ended.claimed) AS file (n)
       ON CONFLICT DO NOTHING`,
      [sessionIds],
    ),
  );
}

/** The numbers that each writer has: a part has at most 50,000 files. */
export const NUMBERS_OF_WRITER = 50_000;

/** Finds the domain and the sitemap of a part by its writer, as long as its session is open. */
export function findPartPlace(
  queryable: Queryable,
  accountId: string,
  writerId: string,
): Promise<{ readonly domainId: string; readonly sitemapName: string } | undefined> {
  // An account has few open sessions, and each at most 10,000 parts.
  return firstRow<{ domainId: string; sitemapName: string }>(
    queryable,
    `SELECT s.domain_id AS "domainId", s.sitemap_name AS "sitemapName"
       FROM upload_sessions s JOIN upload_session_parts p ON p.session_id = s.id
      WHERE s.account_id = $1 AND s.status = 'open' AND p.writer_id = $2`,
    [accountId, writerId],
  );
}
