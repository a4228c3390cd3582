/** The SQL of our accounts at certificate authorities. */
import type { Sealed } from '../../platform/key-ring.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';
import { tokensNow } from '../../platform/postgres/token-bucket.ts';

/** The seconds of the window in which a directory limits new orders. Renewals that name the replaced certificate are not counted. */
const WINDOW_S = 3 * 3600;
/** The SQL of the number of tokens at this moment. `$2`: the limit of new orders in WINDOW_S. */
const TOKENS = tokensNow({
  ...{ tokens: 'order_tokens', at: 'tokens_at' },
  ...{ most: '$2::float8', perSecond: `$2::float8 / ${WINDOW_S}.0` },
});

export interface AcmeAccount {
  readonly key: Sealed;
  /** The new orders that may be placed now. */
  readonly tokens: number;
  /** The milliseconds until the next order may be placed; 0 without a pause. */
  readonly pausedMs: number;
}

export function findAcmeAccount(queryable: Queryable, directory: string, ordersPer3h: number) {
  return firstRow<AcmeAccount>(
    queryable,
    `SELECT key, ${TOKENS} AS tokens, greatest(0, coalesce(extract(epoch FROM paused_until - now())::float8 * 1000, 0)) AS "pausedMs"
       FROM acme_accounts WHERE directory = $1`,
    [directory, ordersPer3h],
  );
}

/** Inserts an account. Does nothing if another process has inserted one already, so that all processes use the same key. */
export async function insertAcmeAccount(
  queryable: Queryable,
  directory: string,
  key: Sealed,
  ordersPer3h: number,
): Promise<void> {
  await queryable.query(
    'INSERT INTO acme_accounts (directory, key, order_tokens) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [directory, JSON.stringify(key), ordersPer3h],
  );
}

/** Takes a token for a new order. Returns false if there is none. */
export async function takeOrderToken(
  queryable: Queryable,
  directory: string,
  ordersPer3h: number,
): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `UPDATE acme_accounts SET order_tokens = ${TOKENS} - 1, tokens_at = now()
      WHERE directory = $1 AND ${TOKENS} >= 1`,
    [directory, ordersPer3h],
  );
  return rowCount === 1;
}

/** Records a pause after an outage of the authority. No process orders at this authority until the pause ends. */
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

/** Replaces the sealed key by the same key, sealed anew. Does nothing if the sealed key is no longer `former`. */
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

/** Deletes an account whose key is lost. The next order makes another account. */
export async function deleteAcmeAccount(queryable: Queryable, directory: string, key: Sealed): Promise<void> {
  await queryable.query('DELETE FROM acme_accounts WHERE directory = $1 AND key = $2::jsonb', [
    directory,
    JSON.stringify(key),
  ]);
}

export function listAcmeKeys(queryable: Queryable) {
  return allRows<{ readonly directory: string; readonly key: Sealed }>(
    queryable,
    'SELECT directory, key FROM acme_accounts',
  );
}
