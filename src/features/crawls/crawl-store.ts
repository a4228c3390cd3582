/** The SQL of crawls: answers to crawlers by domain, day, kind of crawler and status. */
import { copyRows } from '../../platform/postgres/copy-rows.ts';
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import { IS_SERVED } from '../domains/served-domain-store.ts';
import type { CrawlCount } from './crawl-object.ts';
import { addFileCrawls } from './file-crawl-store.ts';

const KEEP_DAYS = 400;
const KEEP_ERRORS_DAYS = 30;
/** Objects of older days are not imported. */
const MAX_AGE_DAYS = 30;
/** Longer than MAX_AGE_DAYS. So when the record of an import is deleted, its object is too old to be imported again. */
const KEEP_IMPORTS_DAYS = MAX_AGE_DAYS + 10;
const DELETED_AT_ONCE = 10_000;

/**
 * Records that the object is imported. `day`: as in 2026-01-15. Returns false if the object was imported before, or if its day is more than
 * MAX_AGE_DAYS ago or after tomorrow. Waits for another transaction that imports the same object.
 */
export async function recordImport(transaction: Transaction, object: string, day: string): Promise<boolean> {
  const { rowCount } = await transaction.query(
    slowStatement(
      `INSERT INTO crawl_imports (object)
       SELECT $1 WHERE $2::date BETWEEN (now() AT TIME ZONE 'UTC')::date - ${MAX_AGE_DAYS}
                                    AND (now() AT TIME ZONE 'UTC')::date + 1
       ON CONFLICT DO NOTHING`,
      [object, day],
    ),
  );
  return rowCount === 1;
}

/**
 * Adds the counts of a day to the domains that hold the hostnames, and to the usage of their accounts. If no domain holds a hostname, its
 * counts go to the newest domain of that name. If there is no such domain, its counts are dropped.
 */
export async function addCrawls(
  transaction: Transaction,
  day: string,
  counts: readonly CrawlCount[],
): Promise<void> {
  await transaction.query(
    `CREATE TEMPORARY TABLE new_crawls (hostname text, crawler text COLLATE "C", status smallint, requests bigint, bytes bigint,
       file text COLLATE "C", last bigint, domain_id text, account_id text) ON COMMIT DROP`,
  );
  await copyRows(
    transaction,
    'new_crawls (hostname, crawler, status, requests, bytes, file, last)',
    counts.map(({ hostname, crawler, status, requests, bytes = 0, file = '', last = 0 }) => {
      return [hostname, crawler, status, requests, bytes, file, last];
    }),
  );
  await transaction.query(
    // A deletion of a domain locks the domain before its rows. To prevent deadlocks, lock the domains first, in the order of their ids.
    slowStatement(
      `WITH chosen AS (
         SELECT DISTINCT ON (hostname) id FROM domains WHERE hostname IN (SELECT hostname FROM new_crawls)
          ORDER BY hostname, ${IS_SERVED} DESC, position DESC
       ), held AS MATERIALIZED (
         SELECT id, hostname, account_id FROM domains WHERE id IN (SELECT id FROM chosen) ORDER BY id FOR KEY SHARE
       )
       UPDATE new_crawls n SET domain_id = held.id, account_id = held.account_id FROM held WHERE held.hostname = n.hostname`,
      [],
    ),
  );
  await transaction.query(
    slowStatement(
      `INSERT INTO crawls (domain_id, day, crawler, status, requests)
       SELECT domain_id, $1, crawler, status, sum(requests) FROM new_crawls WHERE domain_id IS NOT NULL
        GROUP BY domain_id, crawler, status ORDER BY domain_id, crawler, status
       ON CONFLICT (domain_id, day, crawler, status) DO UPDATE SET requests = crawls.requests + excluded.requests`,
      [day],
    ),
  );
  await addFileCrawls(transaction, day);
  await transaction.query(
    slowStatement(
      `INSERT INTO usage_changes (account_id, day, served_requests, served_bytes)
       SELECT account_id, $1, sum(requests), sum(bytes) FROM new_crawls WHERE account_id IS NOT NULL GROUP BY account_id`,
      [day],
    ),
  );
}

const DELETIONS = [
  {
    days: KEEP_DAYS,
    text: `DELETE FROM crawls WHERE (domain_id, day, crawler, status) IN (
             SELECT domain_id, day, crawler, status FROM crawls
              WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::integer LIMIT $2)`,
  },
  {
    days: KEEP_DAYS,
    text: `DELETE FROM file_visits WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM file_visits WHERE last_day < (now() AT TIME ZONE 'UTC')::date - $1::integer LIMIT $2))`,
  },
  {
    days: KEEP_ERRORS_DAYS,
    text: `DELETE FROM file_errors WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM file_errors WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::integer LIMIT $2))`,
  },
  {
    days: KEEP_IMPORTS_DAYS,
    text: `DELETE FROM crawl_imports WHERE object IN (
             SELECT object FROM crawl_imports WHERE imported_at < now() - $1 * interval '1 day' LIMIT $2)`,
  },
];

/** Deletes old counts, last visits, errors by file and records of imports. Any number of processes may run this function at once. */
export async function deleteOldCrawls(queryable: Queryable): Promise<void> {
  for (const { text, days } of DELETIONS) {
    const deleteSome = () => queryable.query(slowStatement(text, [days, DELETED_AT_ONCE]));
    while ((await deleteSome()).rowCount === DELETED_AT_ONCE);
  }
}

/** Returns the seconds since the last import. Returns null before the first import. */
export async function findImportAge(queryable: Queryable): Promise<number | null> {
  const { rows } = await queryable.query<{ seconds: number | null }>(
    // A time in the future comes from a clock that was ahead, and hides that imports stand still.
    'SELECT extract(epoch FROM now() - max(imported_at))::float8 AS seconds FROM crawl_imports WHERE imported_at <= now()',
  );
  return rows[0]!.seconds;
}

export interface CrawlsOfDay {
  /** The day in UTC, as in 2026-01-15. */
  readonly day: string;
  /** The kind of crawler; null on a day without crawls. */
  readonly crawler: string | null;
  readonly requests: number;
  /** The number of these requests that were answered with 4xx or 5xx. */
  readonly errors: number;
}

/** Lists the last `days` days up to today, the oldest first. Without `domainId`, the counts are the sums of all domains of the account. */
export function listCrawlsByDay(
  queryable: Queryable,
  { accountId, domainId }: { readonly accountId: string; readonly domainId?: string | undefined },
  days: number,
) {
  return allRows<CrawlsOfDay>(
    queryable,
    slowStatement(
      `WITH span AS (
         SELECT generate_series(today - $3::integer + 1, today, interval '1 day')::date AS day
           FROM (SELECT (now() AT TIME ZONE 'UTC')::date AS today) AS clock
       ), counted AS (
         SELECT c.day, c.crawler, sum(c.requests) AS requests, sum(c.requests) FILTER (WHERE c.status >= 400) AS errors
           FROM crawls c JOIN domains d ON d.id = c.domain_id
          WHERE d.account_id = $1 AND ($2::text IS NULL OR d.id = $2) AND c.day >= (SELECT min(day) FROM span)
          GROUP BY c.day, c.crawler
       )
       SELECT to_char(span.day, 'YYYY-MM-DD') AS day, crawler, coalesce(requests, 0)::bigint AS requests,
              coalesce(errors, 0)::bigint AS errors
         FROM span LEFT JOIN counted USING (day) ORDER BY span.day, crawler`,
      [accountId, domainId ?? null, days],
    ),
  );
}
