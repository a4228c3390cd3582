/** The SQL of rate limits: how often a subject was counted in its window, by the clock of Postgres. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { deleteInPortions } from '../../platform/postgres/delete-in-portions.ts';

/** The count of a subject, after the last event that was counted. */
export interface Count {
  readonly points: number;
  /** The milliseconds to the end of the window. */
  readonly leftMs: number;
}

/** date_part returns a float8; `extract` would compute with numerics. */
const NOW_MS = "(date_part('epoch', now()) * 1000)::bigint";

/** A statement that adds to the counts of the subjects $1, so many each as $2 says, in windows of $3 ms. */
const ADD_TO_COUNTS = `
  INSERT INTO rate_limits AS r (key, points, expire)
  SELECT key, added, ${NOW_MS} + $3
    -- All processes lock the rows in one order, so they do not wait for each other in a circle.
    FROM unnest($1::text[], $2::int[]) AS asked (key, added) ORDER BY key
  ON CONFLICT (key) DO UPDATE
     SET points = CASE WHEN r.expire <= ${NOW_MS} THEN 0 ELSE r.points END + excluded.points,
         expire = CASE WHEN r.expire <= ${NOW_MS} THEN excluded.expire ELSE r.expire END
  RETURNING key, points, expire - ${NOW_MS} AS "leftMs"`;

/**
 * Adds to the counts of the subjects, and returns the new counts in the order of `keys`, which are all different. A window begins
 * with the first event that is counted.
 */
export async function addToCounts(
  queryable: Queryable,
  keys: readonly string[],
  added: readonly number[],
  windowMs: number,
): Promise<readonly Count[]> {
  const values = [keys, added, windowMs];
  const { rows } = await queryable.query<CountOfKey>({ name: 'add-to-counts', text: ADD_TO_COUNTS, values });
  return inOrder(keys, rows);
}

/**
 * Does the same for requests of accounts, and adds those within the limits to the usage of the day (docs/decisions/0078). `limits`:
 * the most requests of each account in a window.
 */
export async function addToRequests(
  queryable: Queryable,
  { keys, accountIds }: { readonly keys: readonly string[]; readonly accountIds: readonly string[] },
  added: readonly number[],
  limits: readonly number[],
  windowMs: number,
): Promise<readonly Count[]> {
  const { rows } = await queryable.query<CountOfKey>({
    name: 'add-to-requests',
    text: `WITH counted AS (${ADD_TO_COUNTS}), taken AS (
             SELECT account_id, least(points, most) - least(points - added, most) AS requests
               FROM counted JOIN unnest($1::text[], $2::int[], $4::text[], $5::int[])
                                   AS asked (key, added, account_id, most) USING (key)
           ), used AS (
             INSERT INTO request_days AS d (account_id, day, requests)
             SELECT account_id, (now() AT TIME ZONE 'UTC')::date, requests FROM taken WHERE requests > 0 ORDER BY account_id
             ON CONFLICT (account_id, day) DO UPDATE SET requests = d.requests + excluded.requests
           )
           SELECT * FROM counted`,
    values: [keys, added, windowMs, accountIds, limits],
  });
  return inOrder(keys, rows);
}

type CountOfKey = Count & { readonly key: string };

function inOrder(keys: readonly string[], rows: readonly CountOfKey[]): readonly Count[] {
  const counts = new Map(rows.map((row) => [row.key, row]));
  return keys.map((key) => counts.get(key)!);
}

/** Returns the count of a subject; 0 outside a window. */
export async function findCount(queryable: Queryable, key: string): Promise<number> {
  const { rows } = await queryable.query<{ points: number }>(
    `SELECT points FROM rate_limits WHERE key = $1 AND expire > ${NOW_MS}`,
    [key],
  );
  return rows[0]?.points ?? 0;
}

const DELETED_AT_ONCE = 10_000;

/** Deletes the counts of windows that ended an hour ago: strangers can cause any number. Skips counts that are being changed. */
export async function deleteOldCounts(queryable: Queryable): Promise<void> {
  await deleteInPortions(
    queryable,
    `DELETE FROM rate_limits WHERE key IN (
       SELECT key FROM rate_limits WHERE expire < ${NOW_MS} - 3600000 LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [],
    DELETED_AT_ONCE,
  );
}
