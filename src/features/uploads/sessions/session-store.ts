/** The SQL of upload sessions. The clock of the database says when a session ends. */
import { type Queryable, slowStatement, type Transaction } from '../../../platform/postgres/database.ts';
import { isFree, LeaseLost, leasedFor } from '../../../platform/postgres/lease.ts';
import { allRows, firstRow, onlyRow } from '../../../platform/postgres/rows.ts';
import { UPLOADS_PREFIX, uploadPrefix } from '../../sites/site.ts';
import type { CommittedUpload, SessionStatus, SessionTerms, UploadSession } from './session.ts';

/** The objects of a session are collected this long after its end, so no object is deleted while it is published. */
export const MARGIN = `interval '1 minute'`;
/** A session ends this long after its last part. */
export const IDLE = `interval '24 hours'`;
/** A session ends this long after it was opened. */
export const WHOLE = `interval '7 days'`;

const PREFIX = `'${UPLOADS_PREFIX}' || s.upload_id || '/'`;
/** SQL: when the session `s` ends. Null once its objects are collected. */
const EXPIRES = `(SELECT g.collect_after - ${MARGIN} FROM garbage g WHERE g.prefix = ${PREFIX})`;
const IS_ALIVE = `EXISTS (SELECT FROM garbage g WHERE g.prefix = ${PREFIX} AND g.collect_after - ${MARGIN} > now())`;
/** SQL: whether parts of the session `s` are taken. */
export const IS_OPEN = `(s.status = 'open' AND ${isFree('s.committing_until')} AND ${IS_ALIVE})`;

/** SQL: the status of the session `s`, as clients see it. */
export const STATUS = `
  CASE WHEN s.status = 'held' AND EXISTS (SELECT FROM held_uploads h WHERE h.id = s.upload_id AND h.published IS NOT NULL)
       THEN 'committed'
       WHEN s.status IN ('open', 'held') AND NOT ${IS_ALIVE} THEN 'expired'
       WHEN s.status = 'open' AND NOT ${isFree('s.committing_until')} THEN 'committing'
       ELSE s.status END`;

const COLUMNS = `
  s.id, s.account_id AS "accountId", s.domain_id AS "domainId", s.hostname, s.sitemap_name AS "sitemapName",
  s.upload_id AS "uploadId", s.terms, s.created_at AS "createdAt", s.parts, s.url_count AS "urlCount",
  s.gzip_bytes AS "gzipBytes", s.published,
  CASE WHEN s.status IN ('open', 'held') THEN ${EXPIRES} END AS "expiresAt", ${STATUS} AS status`;

/** Counts the open sessions of an account. Sessions of loads have a limit of their own, so they do not count. */
export async function countOpenSessions(transaction: Transaction, accountId: string): Promise<number> {
  const { rows } = await transaction.query<{ count: number }>(
    `SELECT count(*) FROM upload_sessions s WHERE s.account_id = $1 AND s.status = 'open' AND ${IS_ALIVE}
        AND NOT EXISTS (SELECT FROM loads l WHERE l.account_id = $1 AND l.ended_at IS NULL AND l.session_id = s.id)`,
    [accountId],
  );
  return rows[0]!.count;
}

/** A session, and its place in the list. */
export interface ListedSession extends UploadSession {
  readonly position: string;
}

export interface SessionFilter {
  /** The sitemaps whose sessions are listed. Null: all. */
  readonly sitemapNames: readonly string[] | null;
  /** Null: any. */
  readonly status: SessionStatus | null;
}

/** Lists the first `limit` sessions of a domain after the position `after`, the newest first. Sessions of loads are not among them. */
export function listSessions(
  queryable: Queryable,
  domainId: string,
  { sitemapNames, status }: SessionFilter,
  limit: number,
  after: string | undefined,
): Promise<ListedSession[]> {
  const [id, createdAt] = after?.split(' at ') ?? [];
  // Sessions of loads that are older than the column `of_load` are known only by their loads.
  return allRows<ListedSession>(
    queryable,
    `SELECT * FROM (
       SELECT ${COLUMNS}, s.id || ' at ' || s.created_at AS position FROM upload_sessions s
        WHERE s.domain_id = $1 AND NOT s.of_load AND NOT EXISTS (SELECT FROM loads l WHERE l.id = s.upload_id)
          AND ($3::timestamptz IS NULL OR (s.created_at, s.id) < ($3::timestamptz, $4))
          AND ($5::text[] IS NULL OR s.sitemap_name = ANY($5))
        ORDER BY s.created_at DESC, s.id DESC) AS listed
      WHERE $6::text IS NULL OR status = $6 LIMIT $2`,
    [domainId, limit, createdAt ?? null, id ?? null, sitemapNames, status],
  );
}

type NewSession = Pick<
  UploadSession,
  'id' | 'accountId' | 'domainId' | 'hostname' | 'sitemapName' | 'uploadId' | 'terms'
> & { readonly isOfLoad: boolean };

/**
 * Inserts a session, and lists the prefix of its objects in `garbage`. The session of a load lasts as long as a session may, because a load
 * may wait for a process that begins it.
 */
export function insertSession(
  transaction: Transaction,
  session: NewSession,
): Promise<Pick<UploadSession, 'createdAt' | 'expiresAt'>> {
  const { id, accountId, domainId, hostname, sitemapName, uploadId, terms, isOfLoad } = session;
  return onlyRow<{ createdAt: Date; expiresAt: Date }>(
    transaction,
    `WITH listed AS (
       INSERT INTO garbage (prefix, collect_after, account_id)
       VALUES ($8, now() + CASE WHEN $9 THEN ${WHOLE} ELSE ${IDLE} END + ${MARGIN}, $2) RETURNING collect_after
     ), inserted AS (
       INSERT INTO upload_sessions (id, account_id, domain_id, hostname, sitemap_name, upload_id, terms, of_load)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $9)
     )
     SELECT now() AS "createdAt", collect_after - ${MARGIN} AS "expiresAt" FROM listed`,
    [
      ...[id, accountId, domainId, hostname, sitemapName, uploadId],
      JSON.stringify(terms satisfies SessionTerms),
      uploadPrefix(uploadId),
      isOfLoad,
    ],
  );
}

export function findSession(queryable: Queryable, accountId: string, id: string) {
  return firstRow<UploadSession>(
    queryable,
    `SELECT ${COLUMNS} FROM upload_sessions s WHERE s.id = $1 AND s.account_id = $2`,
    [id, accountId],
  );
}

/** Finds a session whose domain still belongs to the account. */
export function findSessionOfDomain(queryable: Queryable, accountId: string, id: string) {
  return firstRow<UploadSession>(queryable, {
    name: 'find-session-of-domain',
    text: `SELECT ${COLUMNS} FROM upload_sessions s WHERE s.id = $1 AND s.account_id = $2
        AND EXISTS (SELECT FROM domains d WHERE d.id = s.domain_id AND d.account_id = $2)`,
    values: [id, accountId],
  });
}

/** Locks a session, so that parts, commits and ends come one after the other. Sessions are locked after domains and before `garbage`. */
export async function lockSession(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<UploadSession | undefined> {
  await lockParts(transaction, id);
  return findSession(transaction, accountId, id);
}

/**
 * Locks a session. Read it in a later statement, because a statement that waits for a lock sees the other tables as they were before the
 * wait.
 */
export async function lockParts(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(
    slowStatement('SELECT FROM upload_sessions WHERE id = $1 FOR UPDATE', [id], 'lock-parts'),
  );
}

/** The lease of a commit. While it lasts, the session takes no parts and no other commit. */
export const COMMIT_LEASE_MS = 10_000;

/** Begins a commit. Returns its fence. Returns undefined if the session is not open. */
export async function takeCommit(queryable: Queryable, id: string): Promise<number | undefined> {
  const { rows } = await queryable.query<{ fence: number }>(
    slowStatement(
      `UPDATE upload_sessions AS s
          SET committing_until = ${leasedFor(COMMIT_LEASE_MS)}, commit_fence = s.commit_fence + 1
        WHERE s.id = $1 AND ${IS_OPEN} RETURNING s.commit_fence AS fence`,
      [id],
    ),
  );
  return rows[0]?.fence;
}

/** Renews the lease, and keeps the objects for at least 10 more minutes. Throws LeaseLost. */
export async function renewCommit(queryable: Queryable, id: string, fence: number): Promise<void> {
  const { rowCount } = await queryable.query(
    `WITH renewed AS (
       UPDATE upload_sessions SET committing_until = ${leasedFor(COMMIT_LEASE_MS)}
        WHERE id = $1 AND commit_fence = $2 AND status = 'open' RETURNING upload_id
     )
     UPDATE garbage AS g SET collect_after = greatest(g.collect_after, now() + interval '10 minutes')
       FROM renewed WHERE g.prefix = '${UPLOADS_PREFIX}' || renewed.upload_id || '/'`,
    [id, fence],
  );
  if (rowCount !== 1) throw new LeaseLost('the commit of an upload session has been taken over');
}

export async function releaseCommit(queryable: Queryable, id: string, fence: number): Promise<void> {
  await queryable.query(
    `UPDATE upload_sessions SET committing_until = NULL WHERE id = $1 AND commit_fence = $2 AND status = 'open'`,
    [id, fence],
  );
}

/**
 * Locks the session for the transaction that ends its commit. Throws LeaseLost if the session has ended, or if another commit or a part has
 * come since.
 */
export async function lockCommit(transaction: Transaction, id: string, fence: number): Promise<void> {
  const { rowCount } = await transaction.query(
    slowStatement(
      `SELECT FROM upload_sessions WHERE id = $1 AND commit_fence = $2 AND status = 'open' FOR UPDATE`,
      [id, fence],
    ),
  );
  if (rowCount !== 1) throw new LeaseLost('the commit of an upload session has been taken over');
}

/** The caller has locked the session. `published` is the outcome of a committed session. */
export async function endSession(
  transaction: Transaction,
  id: string,
  status: 'committed' | 'held' | 'aborted',
  published: CommittedUpload | null = null,
): Promise<void> {
  await transaction.query(
    'UPDATE upload_sessions SET status = $2, published = $3, committing_until = NULL WHERE id = $1',
    [id, status, published && JSON.stringify(published)],
  );
}

/** Lets the collector delete all objects of the session after `afterMs`. Until then, their bytes count as stored. */
export async function discardObjects(
  transaction: Transaction,
  { uploadId }: Pick<UploadSession, 'uploadId'>,
  afterMs: number,
): Promise<void> {
  await transaction.query(
    `UPDATE garbage SET collect_after = least(collect_after, now() + $2 * interval '1 millisecond') WHERE prefix = $1`,
    [uploadPrefix(uploadId), afterMs],
  );
}

/** Marks at most `limit` open sessions whose time is over as expired. Returns their ids. */
export async function expireSessions(transaction: Transaction, limit: number): Promise<string[]> {
  const isOver = `s.status = 'open' AND ${isFree('s.committing_until')} AND NOT ${IS_ALIVE}`;
  const { rows: locked } = await transaction.query<{ id: string }>(
    slowStatement(
      `SELECT s.id FROM upload_sessions s WHERE ${isOver} LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [limit],
      'lock-expired-sessions',
    ),
  );
  if (locked.length === 0) return [];
  // A part may have put off the end of a session just before the lock. Only a new statement sees that.
  const { rows } = await transaction.query<{ id: string }>(
    slowStatement(
      `UPDATE upload_sessions AS s SET status = 'expired' WHERE s.id = ANY($1) AND ${isOver} RETURNING s.id`,
      [locked.map(({ id }) => id)],
      'expire-sessions',
    ),
  );
  return rows.map(({ id }) => id);
}

/** Lists ended sessions that still have parts. */
export async function listUncleared(queryable: Queryable, limit: number): Promise<string[]> {
  const { rows } = await queryable.query<{ id: string }>(
    `SELECT id FROM upload_sessions WHERE status <> 'open' AND NOT is_cleared ORDER BY id LIMIT $1`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

export async function markCleared(queryable: Queryable, ids: readonly string[]): Promise<void> {
  await queryable.query('UPDATE upload_sessions SET is_cleared = true WHERE id = ANY($1)', [ids]);
}
