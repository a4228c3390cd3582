/** The SQL that stores a part in its session. */
import { slowStatement, type Transaction } from '../../../platform/postgres/database.ts';
import { firstRow } from '../../../platform/postgres/rows.ts';
import { UPLOADS_PREFIX } from '../../sites/site.ts';
import { STORED, type StoredPart } from './part-store.ts';
import type { SessionStatus } from './session.ts';
import { IDLE, MARGIN, STATUS, WHOLE } from './session-store.ts';

export interface PutPart {
  readonly accountId: string;
  readonly sessionId: string;
  readonly part: StoredPart;
  /** The number of the writer of the part's objects. Undefined if the part has none. */
  readonly writer: number | undefined;
  /** The bytes of the part's body. They count as usage. */
  readonly bytesReceived: number;
}

export interface SessionWithPart {
  /** The status before the part came. */
  readonly status: SessionStatus;
  /** The number of URLs of the session, this part included. */
  readonly urlCount: number;
  readonly gzipBytes: number;
  /** The part of this number so far, or null. A former part with the same digest stays. */
  readonly former: StoredPart | null;
}

/**
 * Inserts a part, or replaces the part of the same number. Counts the part in its session, puts off the end of the session, and ends the
 * writer. A part with the same digest as before stays, and the writer does not end. The caller has locked the session, and rolls back
 * unless the session was open. The files of a replaced part are deleted soon. So the statement raises the fence of commits, and a commit
 * that has read the former parts publishes nothing. Returns undefined if there is no such session.
 */
export function putPart(
  transaction: Transaction,
  { accountId, sessionId, part, writer, bytesReceived }: PutPart,
) {
  return firstRow<SessionWithPart>(
    transaction,
    slowStatement(
      `WITH former AS (
         SELECT ${STORED} FROM upload_session_parts WHERE session_id = $1 AND part = $3
       ), change AS (
         SELECT s.id, s.upload_id, s.created_at, ${STATUS} AS status, f.part IS NULL AS is_new, f.digest IS NOT DISTINCT FROM $5 AS is_same,
                CASE WHEN f.digest = $5 THEN 0 ELSE $6 - coalesce(f."urlCount", 0) END AS urls,
                CASE WHEN f.digest = $5 THEN 0 ELSE $8 - coalesce(f."gzipBytes", 0) END AS bytes
           FROM upload_sessions s LEFT JOIN former f ON true WHERE s.id = $1 AND s.account_id = $2
       ), grown AS (
         UPDATE upload_sessions AS s
            SET parts = s.parts + c.is_new::integer, url_count = s.url_count + c.urls, gzip_bytes = s.gzip_bytes + c.bytes,
                commit_fence = s.commit_fence + 1
           FROM change c WHERE s.id = c.id RETURNING s.url_count AS "urlCount", s.gzip_bytes AS "gzipBytes"
       ), put_off AS (
         UPDATE garbage AS g SET collect_after = least(c.created_at + ${WHOLE}, now() + ${IDLE}) + ${MARGIN},
                bytes = g.bytes + c.bytes, listed_at = now()
           FROM change c WHERE g.prefix = '${UPLOADS_PREFIX}' || c.upload_id || '/' AND g.collect_after - ${MARGIN} > now()
         RETURNING g.prefix
       ), put AS (
         INSERT INTO upload_session_parts
                (session_id, part, writer_id, digest, url_count, rejected, gzip_bytes, entries_digest, files)
         SELECT $1, $3, $4, $5, $6, $7, $8, $9, $10 FROM change WHERE NOT is_same
         ON CONFLICT (session_id, part) DO UPDATE
            SET (writer_id, digest, url_count, rejected, gzip_bytes, entries_digest, files, received_at)
              = ROW (excluded.writer_id, excluded.digest, excluded.url_count, excluded.rejected, excluded.gzip_bytes,
                     excluded.entries_digest, excluded.files, now())
       ), ended AS (
         DELETE FROM upload_session_writers AS w USING change c WHERE w.session_id = c.id AND w.n = $11 AND NOT c.is_same
       ), used AS (
         INSERT INTO usage_changes (account_id, urls, bytes) SELECT $2, 0, $12 FROM change
       )
       SELECT CASE WHEN change.status = 'open' AND put_off.prefix IS NULL THEN 'expired' ELSE change.status END AS status,
              grown.*, (SELECT row_to_json(former) FROM former) AS former
         FROM change CROSS JOIN grown LEFT JOIN put_off ON true`,
      [
        ...[sessionId, accountId, part.part, part.writerId, part.digest, part.urlCount, part.rejected],
        ...[part.gzipBytes, part.entriesDigest, JSON.stringify(part.files), writer ?? null, bytesReceived],
      ],
      'put-part',
    ),
  );
}
