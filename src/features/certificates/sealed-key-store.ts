/** The SQL of the sealed private keys of certificates, and of their orders under way. */
import type { KeyRing, Sealed } from '../../platform/key-ring.ts';
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { isFree } from '../../platform/postgres/lease.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import { listSealingKeys } from '../../platform/postgres/sealing-keys.ts';
import { listOwnCertificates } from './own/own-certificate-store.ts';

export interface SealedKeys {
  readonly accountId: string;
  readonly hostname: string;
  /** The domain of the certificate; null if it was deleted. */
  readonly domainId: string | null;
  readonly chain: string | null;
  readonly key: Sealed | null;
  readonly orderUrl: string | null;
  readonly orderKey: Sealed | null;
}

/** Lists the ids of the keys with which private keys of certificates and of orders under way are sealed. */
export async function listKeysInUse(queryable: Queryable): Promise<ReadonlySet<string>> {
  const sealing = [
    ...(await listSealingKeys(queryable, 'certificates', 'key')),
    ...(await listSealingKeys(queryable, 'certificates', 'order_key')),
  ];
  return new Set(sealing);
}

/**
 * Lists certificates with a private key that the key `keyId` has sealed: the key of the certificate, or the key of its order under way.
 * Leaves out certificates on which a process works.
 */
export function listSealedBy(queryable: Queryable, keyId: string, limit: number): Promise<SealedKeys[]> {
  const sealed = (column: 'key' | 'order_key') => `
    SELECT account_id, hostname FROM certificates
     WHERE ${column}->>'keyId' = $1 AND ${column} IS NOT NULL AND ${isFree('leased_until')} LIMIT $2`;
  return allRows<SealedKeys>(
    queryable,
    `WITH found AS MATERIALIZED ((${sealed('key')}) UNION (${sealed('order_key')}))
     SELECT ${SEALED_KEYS} FROM (SELECT * FROM found LIMIT $2) found JOIN certificates c USING (account_id, hostname)`,
    [keyId, limit],
  );
}

const SEALED_KEYS = `c.account_id AS "accountId", c.hostname, c.domain_id AS "domainId", c.chain, c.key, c.order_url AS "orderUrl",
            c.order_key AS "orderKey"`;

/** A position in the list of all certificates, which is in the order of account and hostname. */
export type Position = readonly [accountId: string, hostname: string];

/**
 * Reads the next `size` certificates after a position, and returns those that the key `keyId` has sealed. `last`: the position after which
 * the next page begins; undefined if this page is empty.
 */
export async function readPage(
  queryable: Queryable,
  keyId: string,
  after: Position,
  size: number,
): Promise<{ readonly rows: readonly SealedKeys[]; readonly last: Position | undefined }> {
  const { rows } = await queryable.query<{ rows: SealedKeys[]; last: Position | null }>(
    slowStatement(
      `WITH page AS MATERIALIZED (
         SELECT account_id, hostname, domain_id, chain, key, order_url, order_key FROM certificates
          WHERE (account_id, hostname) > ($2, $3) ORDER BY account_id, hostname LIMIT $4
       ), sealed AS (
         SELECT ${SEALED_KEYS} FROM page c WHERE key->>'keyId' = $1
       )
       SELECT coalesce((SELECT json_agg(sealed) FROM sealed), '[]') AS rows,
              (SELECT ARRAY[account_id, hostname] FROM page ORDER BY account_id DESC, hostname DESC LIMIT 1) AS last`,
      [keyId, ...after, size],
    ),
  );
  const { rows: sealed, last } = rows[0]!;
  return { rows: sealed, last: last ?? undefined };
}

/** Counts the certificates, that of the API included, whose private key was sealed by a key that `ring` lacks. */
export async function countKeyMissing(queryable: Queryable, ring: Pick<KeyRing, 'has'>): Promise<number> {
  let missing = (await listOwnCertificates(queryable)).filter(({ key }) => !ring.has(key.keyId)).length;
  for (const keyId of await listSealingKeys(queryable, 'certificates', 'key')) {
    if (!ring.has(keyId)) missing += await countSealedBy(queryable, keyId);
  }
  return missing;
}

export async function countSealedBy(queryable: Queryable, keyId: string): Promise<number> {
  const { rows } = await queryable.query<{ count: number }>(
    slowStatement(`SELECT count(*)::int AS count FROM certificates WHERE key->>'keyId' = $1`, [keyId]),
  );
  return rows[0]!.count;
}

/** Replaces the keys by the same keys, sealed anew. Does nothing if the keys were changed since they were read. */
export async function saveSealedAnew(
  queryable: Queryable,
  read: SealedKeys,
  anew: Pick<SealedKeys, 'key' | 'orderKey'>,
): Promise<void> {
  await queryable.query(`UPDATE certificates SET key = $3, order_key = $4 WHERE ${IS_AS_READ}`, [
    ...identityOf(read),
    ...[anew.key, anew.orderKey, read.key, read.orderKey].map(jsonOf),
  ]);
}

/**
 * Gives up keys that cannot be opened: the certificate is deleted, its order ends, and a new certificate is due now, unless the work for the
 * domain was stopped. Returns false if the keys were changed since they were read, or if work is under way.
 */
export async function discardKeys(queryable: Queryable, read: SealedKeys): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `UPDATE certificates SET key = $3, order_key = $4, order_directory = NULL, order_url = NULL,
            chain = NULL, not_after = NULL, renew_at = NULL, ari_check_at = NULL, ari_id = NULL,
            due_at = CASE WHEN due_at IS NULL THEN NULL ELSE now() END
      WHERE ${IS_AS_READ} AND ${isFree('leased_until')}`,
    [...identityOf(read), null, null, jsonOf(read.key), jsonOf(read.orderKey)],
  );
  return rowCount === 1;
}

const IS_AS_READ = `account_id = $1 AND hostname = $2
  AND key IS NOT DISTINCT FROM $5::jsonb AND order_key IS NOT DISTINCT FROM $6::jsonb`;
const identityOf = ({ accountId, hostname }: SealedKeys) => [accountId, hostname];
const jsonOf = (sealed: Sealed | null) => sealed && JSON.stringify(sealed);
