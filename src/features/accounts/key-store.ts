/** The SQL of API keys. */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { type Asked, EACH_OF_BYTES, inOrder } from '../../platform/postgres/many-asked.ts';
import { allRows, firstRow, onlyRow } from '../../platform/postgres/rows.ts';
import type { Actor } from './actor.ts';
import { lastFourOf, prefixOf } from './api-key.ts';
import type { KeyScope } from './key-scope.ts';
import type { PlanName } from './plans.ts';
import { hashToken } from './secret-token.ts';

/** The sender of a request. */
export interface Caller extends Actor {
  readonly plan: PlanName;
  /** True while the account is suspended: the key or session is valid, but requests are refused, except on some routes of the dashboard. */
  readonly isSuspended: boolean;
  /** Null for a key without limits, and for every person. */
  readonly scope: KeyScope | null;
}

/** The sender that a valid key names. */
export type KeyOwner = Pick<Caller, 'accountId' | 'plan' | 'isSuspended' | 'scope'> & {
  readonly keyId: string;
};

export interface ApiKeyDescription {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  /** The last four characters of the key; null for keys that are older than the column. */
  readonly lastFour: string | null;
  readonly state: 'valid' | 'expired' | 'revoked';
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** The person who made the key; null for the operator, and for keys that are older than the column. */
  readonly creator: { readonly name: string; readonly isMember: boolean } | null;
  /** Whether the key is revoked when its creator stops being a member. */
  readonly endsWithCreator: boolean;
  /** Null for a key without limits. */
  readonly scope: KeyScope | null;
  /** The hostnames of the scope's domains that still exist; null if the key is not limited to domains. */
  readonly hostnames: readonly string[] | null;
}

export interface NewKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly key: string;
  readonly expiresAt: Date | null;
  /** The user who makes the key; null for the operator. */
  readonly creatorId: string | null;
  readonly endsWithCreator?: boolean;
  readonly scope?: KeyScope | null;
}

export async function insertKey(
  queryable: Queryable,
  { id, accountId, name, key, expiresAt, creatorId, endsWithCreator = false, scope = null }: NewKey,
): Promise<void> {
  await queryable.query({
    name: 'insert-key',
    text: `INSERT INTO api_keys (id, account_id, name, prefix, last_four, key_hash, expires_at, creator_id,
                                 ends_with_creator, scope, creator_name)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, (SELECT name FROM users WHERE id = $8))`,
    values: [
      ...[id, accountId, name, prefixOf(key), lastFourOf(key), hashToken(key), expiresAt, creatorId],
      ...[endsWithCreator, scope],
    ],
  });
}

const IS_UNUSED = "(k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute')";

/**
 * Looks up the keys, in their order, and records the use of each key at most once a minute. So most lookups only read. The write skips a
 * locked row, so a request never waits for a publication that holds the key.
 */
export async function findCallers(
  queryable: Queryable,
  keys: readonly string[],
): Promise<readonly (KeyOwner | undefined)[]> {
  const { rows } = await queryable.query<Asked & KeyOwner>({
    name: 'find-callers',
    text: `WITH valid AS (
             SELECT n, k.*
               FROM ${EACH_OF_BYTES} AS asked (key_hash, n) CROSS JOIN LATERAL (
                 SELECT k.id, k.account_id, k.scope, a.plan, a.suspended_at, ${IS_UNUSED} AS "isUnused"
                   FROM api_keys k JOIN accounts a ON a.id = k.account_id
                  WHERE k.key_hash = asked.key_hash
                    AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
                  LIMIT 1) k
           ), used AS (
             UPDATE api_keys SET last_used_at = now()
              WHERE id IN (SELECT unused.id
                            FROM valid CROSS JOIN LATERAL (
                              SELECT k.id FROM api_keys k WHERE k.id = valid.id AND ${IS_UNUSED}
                               LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) unused
                           WHERE valid."isUnused")
           )
           SELECT n, account_id AS "accountId", id AS "keyId", plan, suspended_at IS NOT NULL AS "isSuspended", scope
             FROM valid`,
    values: [keys.map(hashToken)],
  });
  return inOrder(keys.length, rows);
}

export async function findCaller(queryable: Queryable, key: string): Promise<KeyOwner | undefined> {
  const [caller] = await findCallers(queryable, [key]);
  return caller;
}

const DESCRIPTION = `
  SELECT id, name, prefix, last_four AS "lastFour",
         CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= now() THEN 'expired' ELSE 'valid' END AS state,
         created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt", revoked_at AS "revokedAt",
         CASE WHEN creator_name IS NOT NULL THEN json_build_object('name', creator_name, 'isMember', EXISTS (
           SELECT FROM members m WHERE m.account_id = k.account_id AND m.user_id = k.creator_id)) END AS creator,
         ends_with_creator AS "endsWithCreator", scope,
         CASE WHEN jsonb_typeof(scope -> 'domainIds') = 'array' THEN ARRAY(
           SELECT d.hostname FROM domains d WHERE d.account_id = k.account_id AND d.id IN (
             SELECT jsonb_array_elements_text(k.scope -> 'domainIds')) ORDER BY d.hostname) END AS hostnames
    FROM api_keys k`;

const IS_VALID = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())';

export interface ListedKey extends ApiKeyDescription {
  /** The position of the key in the order of the list. The next page begins after this position. */
  readonly position: string;
}

/** Lists the first `limit` keys after a position, the oldest first. */
export function listKeys(
  queryable: Queryable,
  accountId: string,
  limit: number,
  after?: string,
): Promise<ListedKey[]> {
  const [id, createdAt] = after?.split(' at ') ?? [];
  return allRows<ListedKey>(
    queryable,
    `SELECT *, id || ' at ' || "createdAt" AS position FROM (${DESCRIPTION}
      WHERE account_id = $1 AND ($3::timestamptz IS NULL OR (created_at, id) > ($3::timestamptz, $4))
      ORDER BY created_at, id LIMIT $2) AS described ORDER BY "createdAt", id`,
    [accountId, limit, createdAt ?? null, id ?? null],
  );
}

/** Lists at most `limit` keys, the newest first. Expired and revoked keys come after all valid ones. */
export function listUsefulKeys(queryable: Queryable, accountId: string, limit: number) {
  return allRows<ApiKeyDescription>(
    queryable,
    `${DESCRIPTION} WHERE account_id = $1 ORDER BY (${IS_VALID}) DESC, created_at DESC, id LIMIT $2`,
    [accountId, limit],
  );
}

/** Finds a key of the account. Returns undefined also for a key of another account. */
export function findKey(queryable: Queryable, accountId: string, id: string) {
  return firstRow<ApiKeyDescription>(queryable, `${DESCRIPTION} WHERE account_id = $1 AND id = $2`, [
    accountId,
    id,
  ]);
}

export function findValidKeys(queryable: Queryable, accountId: string, names: readonly string[]) {
  return allRows<Pick<ApiKeyDescription, 'id' | 'name'>>(
    queryable,
    `SELECT id, name FROM api_keys WHERE account_id = $1 AND name = ANY($2) AND ${IS_VALID} ORDER BY created_at, id`,
    [accountId, names],
  );
}

export async function findAccountOfKey(queryable: Queryable, id: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ accountId: string }>(
    'SELECT account_id AS "accountId" FROM api_keys WHERE id = $1',
    [id],
  );
  return rows[0]?.accountId;
}

export function countKeys(
  queryable: Queryable,
  accountId: string,
): Promise<{ readonly valid: number; readonly ofToday: number }> {
  return onlyRow<{ valid: number; ofToday: number }>(
    queryable,
    `SELECT count(*) FILTER (WHERE ${IS_VALID}) AS valid,
            count(*) FILTER (WHERE created_at > now() - interval '1 day') AS "ofToday"
       FROM api_keys WHERE account_id = $1`,
    [accountId],
  );
}

/** Revokes a key; a second call changes nothing. Returns the id of the key's account; undefined when there is no such key. */
export async function revokeKey(queryable: Queryable, id: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ accountId: string }>(
    // The statement may wait, because a publication locks its key.
    slowStatement(
      `UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1
       RETURNING account_id AS "accountId"`,
      [id],
    ),
  );
  return rows[0]?.accountId;
}

/** Revokes the keys that end with this person, who is no longer a member. */
export function revokeKeysOf(queryable: Queryable, accountId: string, userId: string) {
  return allRows<Pick<ApiKeyDescription, 'id' | 'name'>>(
    queryable,
    slowStatement(
      `UPDATE api_keys SET revoked_at = now()
        WHERE account_id = $1 AND creator_id = $2 AND ends_with_creator AND revoked_at IS NULL RETURNING id, name`,
      [accountId, userId],
    ),
  );
}
