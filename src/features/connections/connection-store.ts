/** The SQL of connections. */
import type { Sealed } from '../../platform/key-ring.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type Connection, MAX_CONNECTIONS } from './connection.ts';

/** `sealedBy`: the id of the key of CERTIFICATE_KEYS that sealed the secrets. */
const COLUMNS = `account_id AS "accountId", name, endpoint, region, buckets, changed_at AS "changedAt", secrets->>'keyId' AS "sealedBy"`;

export interface StoredConnection extends Omit<Connection, 'isLost'> {
  readonly sealedBy: string | null;
}

export interface SealedConnection extends StoredConnection {
  readonly secrets: Sealed | null;
}

/**
 * Inserts or replaces a connection. The caller must have locked the account. Throws Refusal CONFLICT if the account has MAX_CONNECTIONS
 * others.
 */
export async function putConnection(
  transaction: Transaction,
  { accountId, name, endpoint, region, buckets }: Omit<Connection, 'changedAt' | 'isLost'>,
  secrets: Sealed,
): Promise<StoredConnection> {
  const { rows } = await transaction.query<StoredConnection>(
    `INSERT INTO connections (account_id, name, endpoint, region, buckets, secrets)
     SELECT $1, $2, $3, $4, $5, $6
      WHERE (SELECT count(*) FROM connections WHERE account_id = $1 AND name <> $2) < ${MAX_CONNECTIONS}
     ON CONFLICT (account_id, name) DO UPDATE SET endpoint = excluded.endpoint, region = excluded.region,
            buckets = excluded.buckets, secrets = excluded.secrets, changed_at = now()
     RETURNING ${COLUMNS}`,
    [accountId, name, endpoint, region, buckets, JSON.stringify(secrets)],
  );
  if (rows[0] !== undefined) return rows[0];
  throw new Refusal('CONFLICT', `An account has at most ${MAX_CONNECTIONS} connections. Delete one first.`);
}

export function findConnection(queryable: Queryable, accountId: string, name: string) {
  return firstRow<SealedConnection>(
    queryable,
    `SELECT ${COLUMNS}, secrets FROM connections WHERE account_id = $1 AND name = $2`,
    [accountId, name],
  );
}

/** Lists the connections of an account, sorted by name. */
export function listConnections(queryable: Queryable, accountId: string) {
  return allRows<StoredConnection>(
    queryable,
    `SELECT ${COLUMNS} FROM connections WHERE account_id = $1 ORDER BY name COLLATE "C"`,
    [accountId],
  );
}

/** Deletes the connection. Returns whether there was one. */
export async function deleteConnection(
  queryable: Queryable,
  accountId: string,
  name: string,
): Promise<boolean> {
  const { rowCount } = await queryable.query('DELETE FROM connections WHERE account_id = $1 AND name = $2', [
    accountId,
    name,
  ]);
  return rowCount === 1;
}

export type SealedRow = Pick<Connection, 'accountId' | 'name' | 'endpoint'> & { readonly secrets: Sealed };

export function listSealedBy(queryable: Queryable, keyId: string, limit: number) {
  return allRows<SealedRow>(
    queryable,
    `SELECT account_id AS "accountId", name, endpoint, secrets FROM connections
      WHERE secrets IS NOT NULL AND secrets->>'keyId' = $1 LIMIT $2`,
    [keyId, limit],
  );
}

/** Replaces the sealed keys. Does nothing if they were changed since they were read. */
export async function saveSealedAnew(
  queryable: Queryable,
  { accountId, name, secrets }: SealedRow,
  anew: Sealed,
): Promise<void> {
  await queryable.query(
    'UPDATE connections SET secrets = $4 WHERE account_id = $1 AND name = $2 AND secrets = $3::jsonb',
    [accountId, name, JSON.stringify(secrets), JSON.stringify(anew)],
  );
}
