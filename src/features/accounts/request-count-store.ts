/**
 * The SQL that counts the requests of accounts: all of them for the limit per minute, and those within the limit for the usage of the day
 * (docs/decisions/0078). Both counts are in one row, so a request writes only one row.
 */
import type { Queryable } from '../../platform/postgres/database.ts';
import { type Count, countsInOrder, isOpen, leftMs, NOW_MS } from './rate-limit-store.ts';

interface AddedRequests {
  readonly accountId: string;
  readonly requests: number;
  /** The most requests of the account in a window. */
  readonly limit: number;
}

/** The highest value of the column `most`. The limit of a plan may be higher, but no account makes as many requests in a window. */
const MOST = 2 ** 31 - 1;
const TODAY = "(now() AT TIME ZONE 'UTC')::date";
/** The points of a row before the requests are added. */
const POINTS = `CASE WHEN ${isOpen('d.ends_at', 'excluded.ends_at', '$4')} THEN d.points ELSE 0 END`;

/**
 * Adds requests in windows of `windowMs`, and returns the new counts in the same order. No two accounts may be equal. A window ends with
 * its day, because the next day is another row.
 */
export async function addToRequests(
  queryable: Queryable,
  added: readonly AddedRequests[],
  windowMs: number,
): Promise<readonly Count[]> {
  const { rows } = await queryable.query<Count & { readonly key: string }>({
    name: 'add-to-requests',
    text: `
      INSERT INTO request_days AS d (account_id, day, requests, points, ends_at, most)
      SELECT account_id, ${TODAY}, least(added, most), added, ${NOW_MS} + $4, most
        -- All processes lock the rows in one order, so they do not wait for each other in a circle.
        FROM unnest($1::text[], $2::int[], $3::int[]) AS asked (account_id, added, most) ORDER BY account_id
      ON CONFLICT (account_id, day) DO UPDATE
         SET requests = d.requests + least(${POINTS} + excluded.points, excluded.most) - least(${POINTS}, excluded.most),
             points = ${POINTS} + excluded.points,
             ends_at = CASE WHEN ${POINTS} = 0 THEN excluded.ends_at ELSE d.ends_at END,
             most = excluded.most
      RETURNING account_id AS key, points, ${leftMs('ends_at', '$4')} AS "leftMs"`,
    values: [
      added.map(({ accountId }) => accountId),
      added.map(({ requests }) => requests),
      added.map(({ limit }) => Math.min(limit, MOST)),
      windowMs,
    ],
  });
  return countsInOrder(
    added.map(({ accountId }) => accountId),
    rows,
  );
}

/** Returns the number of requests of an account in its window; 0 outside a window. Does not count a request. */
export async function findRequests(queryable: Queryable, accountId: string): Promise<number> {
  const { rows } = await queryable.query<{ points: number }>(
    `SELECT points FROM request_days WHERE account_id = $1 AND day = ${TODAY} AND ends_at > ${NOW_MS}`,
    [accountId],
  );
  return rows[0]?.points ?? 0;
}
