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
  const { rows } = await queryable.query<Count & { readonly key: string }>({
    name: 'add-to-counts',
    // All processes lock the rows in one order, so they do not wait for each other in a circle.
    text: `INSERT INTO rate_limits AS r (key, points, expire)
           SELECT key, added, ${NOW_MS} + $3
             FROM unnest($1::text[], $2::int[]) AS asked (key, added) ORDER BY key
           ON CONFLICT (key) DO UPDATE
              SET points = CASE WHEN r.expire <= ${NOW_MS} THEN 0 ELSE r.points END + excluded.points,
                  expire = CASE WHEN r.expire <= ${NOW_MS} THEN excluded.expire ELSE r.expire END
           RETURNING key, points, expire - ${NOW_MS} AS "leftMs"`,
    values: [keys, added, windowMs],
  });
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
