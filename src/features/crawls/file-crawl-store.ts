/** The SQL of crawls by file: the last visit of each kind of crawler, and errors by day. */
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';

/**
 * The most errors with the name of a file that a domain may have on one day. An error is a file, a crawler and a status. `missing`: the
 * most errors with the status 404. `others`: the most errors with another status.
 */
const MAX_ERRORS = { missing: 200, others: 1_000 };

/**
 * Adds the rows of `new_crawls`: visits with the name of a file, and all errors. `day`: as in 2026-01-15. The time of a last visit is
 * limited to this day and to now. Errors beyond MAX_ERRORS count without the name of their file. Concurrent imports do not see each other's
 * errors, so together they may exceed MAX_ERRORS.
 */
export async function addFileCrawls(transaction: Transaction, day: string): Promise<void> {
  await transaction.query(
    slowStatement(
      `INSERT INTO file_visits AS v (domain_id, file, crawler, status, requests, last_at)
       SELECT domain_id, file, crawler, (array_agg(status ORDER BY last DESC, status DESC))[1], sum(requests), ${LAST_AT}
         FROM new_crawls WHERE domain_id IS NOT NULL AND file <> '' AND status < 400
        GROUP BY domain_id, file, crawler ORDER BY domain_id, file, crawler
       ON CONFLICT (domain_id, file, crawler) DO UPDATE
          SET requests = v.requests + excluded.requests, last_at = greatest(v.last_at, excluded.last_at),
              status = CASE WHEN excluded.last_at >= v.last_at THEN excluded.status ELSE v.status END`,
      [day],
    ),
  );
  await transaction.query(
    slowStatement(
      `WITH added AS (
         SELECT domain_id, file, crawler, status, sum(requests) AS requests, ${LAST_AT} AS last_at
           FROM new_crawls WHERE domain_id IS NOT NULL AND status >= 400
          GROUP BY domain_id, file, crawler, status
       ), kept AS MATERIALIZED (
         -- OFFSET keeps the planner from reading the errors of the day of all domains.
         SELECT e.* FROM (SELECT DISTINCT domain_id FROM added) d CROSS JOIN LATERAL (
           SELECT domain_id, file, crawler, status FROM file_errors
            WHERE domain_id = d.domain_id AND day = $1 OFFSET 0) e
       ), used AS (
         SELECT domain_id, status = 404 AS is_missing, count(*) AS used FROM kept WHERE file <> ''
          GROUP BY domain_id, status = 404
       ), placed AS (
         SELECT a.*, k.file IS NOT NULL AS is_kept, coalesce(u.used, 0) AS used,
                row_number() OVER (PARTITION BY a.domain_id, a.status = 404, k.file IS NOT NULL
                                       ORDER BY a.file = '', a.requests DESC, a.file, a.crawler, a.status) AS place
           FROM added a LEFT JOIN kept k USING (domain_id, file, crawler, status)
                LEFT JOIN used u ON u.domain_id = a.domain_id AND u.is_missing = (a.status = 404)
       ), named AS (
         SELECT domain_id, crawler, status, requests, last_at,
                CASE WHEN is_kept OR used + place <= CASE WHEN status = 404 THEN ${MAX_ERRORS.missing} ELSE ${MAX_ERRORS.others} END
                     THEN file ELSE '' END AS file
           FROM placed
       )
       INSERT INTO file_errors AS e (domain_id, day, file, crawler, status, requests, last_at)
       SELECT domain_id, $1, file, crawler, status, sum(requests), max(last_at) FROM named
        GROUP BY domain_id, file, crawler, status ORDER BY domain_id, file, crawler, status
       ON CONFLICT (domain_id, day, file, crawler, status) DO UPDATE
          SET requests = e.requests + excluded.requests, last_at = greatest(e.last_at, excluded.last_at)`,
      [day],
    ),
  );
}

/** The SQL of the time of the last answer. For answers without a file, this time is unknown, and the beginning of the day replaces it. */
const LAST_AT = `least(now(), greatest($1::date::timestamp AT TIME ZONE 'UTC',
  least(to_timestamp(max(last)), ($1::date + 1)::timestamp AT TIME ZONE 'UTC' - interval '1 second')))`;

/** The last visit of a kind of crawler to a file. */
export interface FileVisit {
  readonly file: string;
  readonly crawler: string;
  /** The status of the last answer. */
  readonly status: number;
  readonly lastAt: Date;
  /** The number of all requests of the crawler for the file since the file was first counted. */
  readonly requests: number;
}

interface VisitFilter {
  readonly file?: string | undefined;
  readonly crawler?: string | undefined;
}

/** Lists the visits after `after`, by file and kind. */
export function listFileVisits(
  queryable: Queryable,
  domainId: string,
  { file, crawler }: VisitFilter,
  limit: number,
  after: Pick<FileVisit, 'file' | 'crawler'> = { file: '', crawler: '' },
) {
  return allRows<FileVisit>(
    queryable,
    `SELECT file, crawler, status, last_at AS "lastAt", requests FROM file_visits
      WHERE domain_id = $1 AND (file, crawler) > ($2, $3) AND ($4::text IS NULL OR file = $4)
        AND ($5::text IS NULL OR crawler = $5)
      ORDER BY file, crawler LIMIT $6`,
    [domainId, after.file, after.crawler, file ?? null, crawler ?? null, limit],
  );
}

/** A place in the list. `lastAt` is a text if the place comes from a cursor. */
type NewestPlace = Pick<FileVisit, 'file' | 'crawler'> & { readonly lastAt: Date | string };

/**
 * Lists the visits after `after`, the newest first. The statement reads all visits of the domain. There is no index by time, because such
 * an index costs a write at each visit (docs/decisions/0066).
 */
export function listNewestVisits(
  queryable: Queryable,
  domainId: string,
  { file, crawler }: VisitFilter,
  limit: number,
  after: NewestPlace = { lastAt: '9999-12-31', file: '', crawler: '' },
) {
  return allRows<FileVisit>(
    queryable,
    slowStatement(
      // Compare milliseconds, because the time of a cursor has no microseconds.
      `SELECT file, crawler, status, date_trunc('milliseconds', last_at) AS "lastAt", requests FROM file_visits
        WHERE domain_id = $1 AND (date_trunc('milliseconds', last_at), file, crawler) < ($2, $3, $4)
          AND ($5::text IS NULL OR file = $5) AND ($6::text IS NULL OR crawler = $6)
        ORDER BY date_trunc('milliseconds', last_at) DESC, file DESC, crawler DESC LIMIT $7`,
      [domainId, after.lastAt, after.file, after.crawler, file ?? null, crawler ?? null, limit],
    ),
  );
}

/** Errors for a file on a day. One kind of crawler got them, all with the same status. */
export interface FileError extends FileVisit {
  /** The day in UTC, as in 2026-01-15. */
  readonly day: string;
}

export interface ErrorFilter extends VisitFilter {
  readonly status?: number | undefined;
}

type ErrorKey = Pick<FileError, 'day' | 'file' | 'crawler' | 'status'>;

/** Lists the errors after `after`: the newest day first, then by file, kind and status. */
export function listFileErrors(
  queryable: Queryable,
  domainId: string,
  { file, crawler, status }: ErrorFilter,
  limit: number,
  after: ErrorKey = { day: '9999-12-31', file: '', crawler: '', status: 0 },
) {
  return allRows<FileError>(
    queryable,
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, file, crawler, status, last_at AS "lastAt", requests FROM file_errors
      WHERE domain_id = $1 AND day <= $2 AND (day < $2 OR (file, crawler, status) > ($3, $4, $5))
        AND ($6::text IS NULL OR file = $6) AND ($7::text IS NULL OR crawler = $7) AND ($8::smallint IS NULL OR status = $8)
      ORDER BY day DESC, file, crawler, status LIMIT $9`,
    [
      ...[domainId, after.day, after.file, after.crawler, after.status],
      ...[file ?? null, crawler ?? null, status ?? null, limit],
    ],
  );
}
