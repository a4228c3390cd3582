/**
 * The SQL of usage by account and day. Requests wait in `request_days`, and all other changes in `usage_changes`, until a job adds them to
 * `usage_days`. Readers see the three tables in one snapshot, so each change counts once.
 */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { deleteInPortions } from '../../platform/postgres/delete-in-portions.ts';
import { allRows } from '../../platform/postgres/rows.ts';

export const KEPT_DAYS = 400;
const ACCOUNTS_AT_ONCE = 1_000;
const ROWS_AT_ONCE = 10_000;

export interface UsageOfDay {
  /** The day in UTC, as in 2026-01-15. */
  readonly day: string;
  /** Requests within the limit of the plan. */
  readonly requests: number;
  readonly acceptedUrls: number;
  /** The bytes of stored bodies, as received. */
  readonly receivedBytes: number;
  /** The number of URLs at the end of the day, or now if the day is not over. Null if the number is not known. */
  readonly hostedUrls: number | null;
  /** The compressed bytes of live files, at the same time as `hostedUrls`. Null if the number is not known. */
  readonly hostedBytes: number | null;
  readonly servedRequests: number;
  readonly servedBytes: number;
}

/** Lists each day from `from` to `to`, as in 2026-01-15, of each of these accounts. The days of an account are in ascending order. */
export function listUsage(
  queryable: Queryable,
  accountIds: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<(UsageOfDay & { readonly accountId: string })[]> {
  const ofAccounts = 'account_id = ANY($1) AND day BETWEEN $2 AND $3';
  return allRows<UsageOfDay & { accountId: string }>(
    queryable,
    slowStatement(
      `WITH used AS (
         SELECT account_id, day, requests, urls, bytes, served_requests, served_bytes, hosted_urls, hosted_bytes
           FROM usage_days WHERE ${ofAccounts}
         UNION ALL SELECT account_id, day, requests, urls, bytes, served_requests, served_bytes, NULL, NULL
           FROM usage_changes WHERE ${ofAccounts}
         UNION ALL SELECT account_id, day, requests, 0, 0, 0, 0, NULL, NULL FROM request_days WHERE ${ofAccounts}
       )
       SELECT a.id AS "accountId", to_char(span.day, 'YYYY-MM-DD') AS day, coalesce(sum(requests), 0)::bigint AS requests,
              coalesce(sum(urls), 0)::bigint AS "acceptedUrls", coalesce(sum(bytes), 0)::bigint AS "receivedBytes",
              max(hosted_urls) AS "hostedUrls", max(hosted_bytes) AS "hostedBytes",
              coalesce(sum(served_requests), 0)::bigint AS "servedRequests",
              coalesce(sum(served_bytes), 0)::bigint AS "servedBytes"
         FROM unnest($1::text[]) AS a (id) CROSS JOIN generate_series($2::date, $3::date, interval '1 day') AS span (day)
              LEFT JOIN used ON used.account_id = a.id AND used.day = span.day::date
        GROUP BY a.id, span.day ORDER BY a.id, span.day`,
      [accountIds, from, to],
    ),
  );
}

/**
 * Adds up all changes so far. Any number of processes may do so at once. A request may wait until the changes of its account are moved. The
 * move itself waits for nothing.
 */
export async function addUpUsage(queryable: Queryable): Promise<void> {
  for (let after: string | null = ''; after !== null; ) after = await moveRequests(queryable, after);
  for (;;) if ((await addUpChanges(queryable)) < ROWS_AT_ONCE) return;
}

/** Moves the requests of some accounts with ids above `after`. Returns the last of these ids, or null if no accounts are left. */
async function moveRequests(queryable: Queryable, after: string): Promise<string | null> {
  const { rows } = await queryable.query<{ last: string | null }>(
    slowStatement(
      `WITH moved AS MATERIALIZED (
         SELECT account_id, day, requests FROM request_days WHERE account_id > $1 AND requests > 0
          ORDER BY account_id, day LIMIT $2 FOR UPDATE SKIP LOCKED
       ), emptied AS (
         -- The rows stay: they have the windows of rate limits.
         UPDATE request_days AS d SET requests = 0 FROM moved WHERE d.account_id = moved.account_id AND d.day = moved.day
       ), added AS (
         INSERT INTO usage_changes (account_id, day, requests) SELECT account_id, day, requests FROM moved
       )
       SELECT max(account_id) AS last FROM moved`,
      [after, ACCOUNTS_AT_ONCE],
    ),
  );
  return rows[0]!.last;
}

/** Adds up some changes, and returns their number. Changes of deleted accounts are dropped. */
async function addUpChanges(queryable: Queryable): Promise<number> {
  const { rows } = await queryable.query<{ changes: number }>(
    slowStatement(
      `WITH changes AS (
         DELETE FROM usage_changes WHERE ctid = ANY (ARRAY(SELECT ctid FROM usage_changes LIMIT $1 FOR UPDATE SKIP LOCKED))
         RETURNING *
       ), added AS (
         INSERT INTO usage_days AS u (account_id, day, requests, urls, bytes, served_requests, served_bytes)
         SELECT account_id, day, sum(requests), sum(urls), sum(bytes), sum(served_requests), sum(served_bytes)
           FROM changes JOIN accounts a ON a.id = account_id
          -- All processes lock the rows in this order.
          GROUP BY account_id, day ORDER BY account_id, day
         ON CONFLICT (account_id, day) DO UPDATE
            SET requests = u.requests + excluded.requests, urls = u.urls + excluded.urls, bytes = u.bytes + excluded.bytes,
                served_requests = u.served_requests + excluded.served_requests,
                served_bytes = u.served_bytes + excluded.served_bytes
       )
       SELECT count(*) AS changes FROM changes`,
      [ROWS_AT_ONCE],
    ),
  );
  return rows[0]!.changes;
}

/** Deletes usage that is too old, and the counts of former days that are moved. Any number of processes may do so at once. */
export async function deleteOldUsage(queryable: Queryable): Promise<void> {
  await deleteInPortions(
    queryable,
    `DELETE FROM usage_days WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM usage_days WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::integer LIMIT $2))`,
    [KEPT_DAYS],
    ROWS_AT_ONCE,
  );
  await deleteInPortions(
    queryable,
    // A request that began before midnight may count between the SELECT and the DELETE, so the outer condition decides.
    `DELETE FROM request_days WHERE requests = 0 AND ctid = ANY (ARRAY(
       SELECT ctid FROM request_days WHERE requests = 0 AND day < (now() AT TIME ZONE 'UTC')::date LIMIT $1))`,
    [],
    ROWS_AT_ONCE,
  );
}
