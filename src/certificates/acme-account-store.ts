/** The SQL of our accounts at certificate authorities. */
import type { Sealed } from '../platform/key-ring.ts';
import type { Queryable } from '../platform/postgres/database.ts';

/** Let's Encrypt allows 300 new orders in three hours. Renewals that name what they replace are not counted. */
const MAX_TOKENS = 250;
const TOKENS_PER_SECOND = MAX_TOKENS / (3 * 3600);

export interface AcmeAccount {
  readonly key: Sealed;
  /** While the authority wants us to wait, for so long. */
  readonly pausedMs: number;
}

export async function findAcmeAccount(
  queryable: Queryable,
  directory: string,
): Promise<AcmeAccount | undefined> {
  const { rows } = await queryable.query<AcmeAccount>(
    `SELECT key, greatest(0, coalesce(extract(epoch FROM paused_until - now())::float8 * 1000, 0)) AS "pausedMs"
       FROM acme_accounts WHERE directory = $1`,
    [directory],
  );
  return rows[0];
}

/** Does nothing if another process was faster: one key counts. */
export async function insertAcmeAccount(queryable: Queryable, directory: string, key: Sealed): Promise<void> {
  await queryable.query(
    'INSERT INTO acme_accounts (directory, key, order_tokens) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [directory, JSON.stringify(key), MAX_TOKENS],
  );
}

/** Takes a token for a new order. Returns false if there is none. */
export async function takeOrderToken(queryable: Queryable, directory: string): Promise<boolean> {
  const tokens = `least($2, order_tokens + $3 * greatest(0, extract(epoch FROM now() - tokens_at)::float8))`;
  const { rowCount } = await queryable.query(
    `UPDATE acme_accounts SET order_tokens = ${tokens} - 1, tokens_at = now()
      WHERE directory = $1 AND ${tokens} >= 1`,
    [directory, MAX_TOKENS, TOKENS_PER_SECOND],
  );
  return rowCount === 1;
}

/** The authority wants us to wait. No process orders there until then. */
export async function pauseAcmeAccount(
  queryable: Queryable,
  directory: string,
  pauseMs: number,
): Promise<void> {
  await queryable.query(
    `UPDATE acme_accounts SET paused_until = greatest(paused_until, now() + $2 * interval '1 millisecond')
      WHERE directory = $1`,
    [directory, pauseMs],
  );
}

/** Replaces the key by the same key, sealed anew. */
export async function saveAcmeKeySealedAnew(
  queryable: Queryable,
  directory: string,
  former: Sealed,
  key: Sealed,
): Promise<void> {
  await queryable.query('UPDATE acme_accounts SET key = $3 WHERE directory = $1 AND key = $2::jsonb', [
    directory,
    JSON.stringify(former),
    JSON.stringify(key),
  ]);
}

/** Nobody can open its key any more. The next order makes another account. */
export async function deleteAcmeAccount(queryable: Queryable, directory: string, key: Sealed): Promise<void> {
  await queryable.query('DELETE FROM acme_accounts WHERE directory = $1 AND key = $2::jsonb', [
    directory,
    JSON.stringify(key),
  ]);
}

export async function listAcmeKeysSealedByOthers(
  queryable: Queryable,
  keyId: string,
): Promise<{ directory: string; key: Sealed }[]> {
  const { rows } = await queryable.query<{ directory: string; key: Sealed }>(
    `SELECT directory, key FROM acme_accounts WHERE key->>'keyId' <> $1`,
    [keyId],
  );
  return rows;
}
