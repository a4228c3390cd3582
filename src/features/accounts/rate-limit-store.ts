/** The SQL of rate limits: how often a subject was counted in its window, by the clock of Postgres. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { deleteInPortions } from '../../platform/postgres/delete-in-portions.ts';

/** The count of a subject, after the last event that was counted. */
export interface Count {
  readonly points: number;
  /** The milliseconds to the end of the window. */
  readonly leftMs: number;
}

/** The milliseconds of `now()`. date_part returns a float8; `extract` computes with numerics, which takes longer. */
export const NOW_MS = "(date_part('epoch', now()) * 1000)::bigint";

/**
 * Returns the SQL condition that a window is open at `now()`. `next`: the end of a window that begins now. Concurrent statements begin
 * windows some milliseconds apart, so a window may end after `next`. If a window ends more than one window length after `next`, the clock
 * was ahead when the window began, and the window is not open.
 */
export const isOpen = (endsAt: string, next: string, windowMs: string) =>
  `${endsAt} > ${NOW_MS} AND ${endsAt} <= ${next} + ${windowMs}`;

/**
 * Returns the SQL of the milliseconds until a window ends. A statement that started later may have begun the window. So the result is
 * limited to the length of a window.
 */
export const leftMs = (endsAt: string, windowMs: string) => `least(${endsAt} - ${NOW_MS}, ${windowMs})`;

const IS_OPEN = isOpen('r.expire', 'excluded.expire', '$3');

/**
 * Adds to the counts of the subjects, and returns the new counts in the order of `keys`. No two keys may be equal. A window begins with the
 * first counted event.
 */
export async function addToCounts(
  queryable: Queryable,
  keys: readonly string[],
  added: readonly number[],
  windowMs: number,
): Promise<readonly Count[]> {
  const { rows } = await queryable.query<CountOfKey>({
    name: 'add-to-counts',
    text: `
      INSERT INTO rate_limits AS r (key, points, expire)
      SELECT key, added, ${NOW_MS} + $3
        -- All processes lock the rows in one order, so they do not wait for each other in a circle.
        FROM unnest($1::text[], $2::int[]) AS asked (key, added) ORDER BY key
      ON CONFLICT (key) DO UPDATE
         SET points = CASE WHEN ${IS_OPEN} THEN r.points ELSE 0 END + excluded.points,
             expire = CASE WHEN ${IS_OPEN} THEN r.expire ELSE excluded.expire END
      RETURNING key, points, ${leftMs('expire', '$3')} AS "leftMs"`,
    values: [keys, added, windowMs],
  });
  return countsInOrder(keys, rows);
}

type CountOfKey = Count & { readonly key: string };

export function countsInOrder(keys: readonly string[], rows: readonly CountOfKey[]): readonly Count[] {
  const counts = new Map(rows.map((row) => [row.key, row]));
  return keys.map((key) => counts.get(key)!);
}

const DELETED_AT_ONCE = 10_000;

/**
 * Deletes the counts of windows that ended more than an hour ago, because strangers can cause any number of rows. Skips counts that are
 * being changed.
 */
export async function deleteOldCounts(queryable: Queryable): Promise<void> {
  await deleteInPortions(
    queryable,
    `WITH old AS MATERIALIZED (
       SELECT key FROM rate_limits WHERE expire < ${NOW_MS} - 3600000 LIMIT $1 FOR UPDATE SKIP LOCKED
     )
     DELETE FROM rate_limits AS r USING old WHERE r.key = old.key`,
    [],
    DELETED_AT_ONCE,
  );
}
