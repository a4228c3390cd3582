/**
 * The SQL of the URLs and bytes that accounts host. A job reads them once a day, soon after midnight in UTC, and records them as the state
 * at the end of the day before.
 */
import {
  type Database,
  inTransaction,
  type Queryable,
  slowStatement,
} from '../../platform/postgres/database.ts';
import { COUNTS } from '../domains/domain-counts-store.ts';

const ACCOUNTS_AT_ONCE = 500;

export interface Hosted {
  readonly urls: number;
  /** The compressed bytes of live files. */
  readonly bytes: number;
}

const hostedBy = (account: string) => `
  SELECT coalesce(sum(c.urls), 0)::bigint AS urls, coalesce(sum(c.bytes), 0)::bigint AS bytes
    FROM domains d CROSS JOIN LATERAL ${COUNTS} AS c WHERE d.account_id = ${account}`;

/** Sums what each of these accounts hosts now. */
export async function sumHosted(
  queryable: Queryable,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, Hosted>> {
  const { rows } = await queryable.query<Hosted & { accountId: string }>(
    slowStatement(
      `SELECT a.id AS "accountId", hosted.urls, hosted.bytes
         FROM unnest($1::text[]) AS a (id) CROSS JOIN LATERAL (${hostedBy('a.id')}) AS hosted`,
      [accountIds],
    ),
  );
  return new Map(rows.map(({ accountId, ...hosted }) => [accountId, hosted]));
}

/**
 * Returns the number of URLs that an account hosted at the end of a day in UTC: `daysAgo` days before today. Null: the number was not
 * recorded.
 */
export async function findHostedUrls(
  queryable: Queryable,
  accountId: string,
  daysAgo: number,
): Promise<number | null> {
  const { rows } = await queryable.query<{ urls: number | null }>(
    `SELECT hosted_urls AS urls FROM usage_days WHERE account_id = $1 AND day = (now() AT TIME ZONE 'UTC')::date - $2::integer`,
    [accountId, daysAgo],
  );
  return rows[0]?.urls ?? null;
}

/**
 * Records the state at the end of yesterday, unless that is done already. If the process dies, the next run records the accounts that are
 * left.
 */
export async function recordHosted(database: Database): Promise<void> {
  while (await recordSome(database));
}

/** Records the state of some accounts. Returns whether more accounts may be left. Only one process does this at a time. */
function recordSome(database: Database): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ day: string; after: string | null }>(
      `SELECT to_char(y.day, 'YYYY-MM-DD') AS day, CASE WHEN r.day = y.day THEN r.after ELSE '' END AS after
         FROM usage_readings r, (SELECT (now() AT TIME ZONE 'UTC')::date - 1 AS day) AS y
          FOR UPDATE OF r SKIP LOCKED`,
    );
    const [reading] = rows;
    if (reading === undefined || reading.after === null) return false;
    const { day, after } = reading;
    const { rows: read } = await transaction.query<{ last: string | null }>(
      slowStatement(
        `WITH portion AS MATERIALIZED (SELECT id FROM accounts WHERE id > $2 ORDER BY id LIMIT $3),
              added AS (
                INSERT INTO usage_days (account_id, day, hosted_urls, hosted_bytes)
                SELECT portion.id, $1, hosted.urls, hosted.bytes FROM portion CROSS JOIN LATERAL (${hostedBy('portion.id')}) AS hosted
                 WHERE EXISTS (SELECT FROM domains d WHERE d.account_id = portion.id) ORDER BY portion.id
                ON CONFLICT (account_id, day) DO UPDATE
                   SET hosted_urls = excluded.hosted_urls, hosted_bytes = excluded.hosted_bytes
              )
         SELECT max(id) AS last FROM portion`,
        [day, after, ACCOUNTS_AT_ONCE],
      ),
    );
    const { last } = read[0]!;
    await transaction.query('UPDATE usage_readings SET day = $1, after = $2', [day, last]);
    return last !== null;
  });
}
