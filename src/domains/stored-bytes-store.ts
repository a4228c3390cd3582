/** The SQL of stored bytes: the object storage that a domain's live uploads take. */
import { type Queryable, slowStatement, type Transaction } from '../platform/postgres/database.ts';

/** Of accounts, over all domains of each. Without accounts that have no domain. */
export async function sumStoredBytes(
  queryable: Queryable,
  accountIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await queryable.query<{ accountId: string; bytes: number }>({
    name: 'sum-stored-bytes',
    text: `SELECT account_id AS "accountId", sum(stored_bytes)::bigint AS bytes
             FROM domains WHERE account_id = ANY($1) GROUP BY account_id`,
    values: [accountIds],
  });
  return new Map(rows.map(({ accountId, bytes }) => [accountId, bytes]));
}

/** Every change of the live uploads of a domain must call it, or `raiseGenerationsWithBytes`. */
export async function updateStoredBytes(transaction: Transaction, domainId: string): Promise<void> {
  await transaction.query(
    slowStatement(
      `UPDATE domains SET stored_bytes =
       (SELECT coalesce(sum(u.gzip_bytes), 0)
          FROM sitemaps s JOIN uploads u ON u.id = s.upload_id WHERE s.domain_id = $1)
      WHERE id = $1`,
      [domainId],
    ),
  );
}
