/** The SQL of stored bytes: the object storage that a domain's live uploads take. */
import { type Queryable, slowStatement, type Transaction } from '../platform/postgres/database.ts';

/** Over all domains of the account. */
export async function sumStoredBytes(queryable: Queryable, accountId: string): Promise<number> {
  const { rows } = await queryable.query<{ bytes: number }>(
    'SELECT coalesce(sum(stored_bytes), 0)::bigint AS bytes FROM domains WHERE account_id = $1',
    [accountId],
  );
  return rows[0]!.bytes;
}

/** Every change of the live uploads of a domain must call it. */
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
