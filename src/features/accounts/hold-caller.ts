/** Checks a caller again, long after its request began and just before its work takes effect. */
import {
  type Database,
  inTransaction,
  slowStatement,
  type Transaction,
} from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import type { Actor } from './actor.ts';
import { accountSuspended, unauthorized } from './api-key.ts';
import type { KeyScope } from './key-scope.ts';
import type { KeyOwner } from './key-store.ts';
import { notSignedIn } from './session.ts';

// The statement does not compare the account of the session: the person may have switched to another account meanwhile.
const HOLD_SESSION = `
  SELECT a.suspended_at IS NOT NULL AS "isSuspended"
    FROM accounts a JOIN members m ON m.account_id = a.id JOIN sessions s ON s.user_id = m.user_id
   WHERE a.id = $1 AND s.id = $2 AND s.expires_at > clock_timestamp()
     FOR NO KEY UPDATE OF a FOR SHARE OF m, s`;

const HOLD_MEMBER = `
  SELECT a.suspended_at IS NOT NULL AS "isSuspended"
    FROM accounts a JOIN members m ON m.account_id = a.id
   WHERE a.id = $1 AND m.user_id = $2 FOR NO KEY UPDATE OF a FOR SHARE OF m`;

const HOLD_ACCOUNT = `
  SELECT suspended_at IS NOT NULL AS "isSuspended" FROM accounts WHERE id = $1 FOR NO KEY UPDATE`;

/**
 * Locks the account, and the key or session of the caller: other publishers of the account, and the end of the key or session, wait until
 * the transaction ends. For a schedule, locks only the account; for work that outlives its session, the membership in place of the session.
 * Throws Refusal UNAUTHORIZED for an operator, and when the account, the key, the session or the membership is no longer valid. Throws
 * FORBIDDEN when the account is suspended.
 */
export async function holdCaller(transaction: Transaction, caller: Actor): Promise<void> {
  await holdScope(transaction, caller);
}

/** Locks as `holdCaller` does, and returns the scope of the key; null if the caller has no limits. */
export async function holdScope(transaction: Transaction, caller: Actor): Promise<KeyScope | null> {
  const [held] = await holdOne(transaction, caller);
  if (held === undefined) throw caller.session === null ? unauthorized() : notSignedIn();
  if (held.isSuspended) throw accountSuspended();
  return held.scope ?? null;
}

async function holdOne(
  transaction: Transaction,
  { accountId, keyId, session, scheduleId, outlivesSession }: Actor,
): Promise<readonly (Pick<HeldKey, 'isSuspended'> & Partial<HeldKey>)[]> {
  if (keyId !== null) return holdKeys(transaction, [accountId], [keyId], true);
  if (scheduleId !== undefined) {
    return (await transaction.query(slowStatement(HOLD_ACCOUNT, [accountId]))).rows;
  }
  if (session === null) return [];
  if (outlivesSession) {
    return (await transaction.query(slowStatement(HOLD_MEMBER, [accountId, session.userId]))).rows;
  }
  return (await transaction.query(slowStatement(HOLD_SESSION, [accountId, session.id]))).rows;
}

export type HeldKey = Omit<KeyOwner, 'plan'>;

/**
 * Locks the keys and their accounts as `holdCaller` does, in the order of their ids. Leaves out keys that are no longer valid, and, if
 * `waits` is false, keys that another transaction has locked.
 */
export function holdKeys(
  transaction: Transaction,
  accountIds: readonly string[],
  keyIds: readonly string[],
  waits: boolean,
): Promise<HeldKey[]> {
  const skip = waits ? '' : ' SKIP LOCKED';
  // clock_timestamp() is the present time; now() is the time when the transaction began.
  return allRows<HeldKey>(
    transaction,
    slowStatement(
      `SELECT a.id AS "accountId", k.id AS "keyId", a.suspended_at IS NOT NULL AS "isSuspended", k.scope
         FROM accounts a JOIN api_keys k ON k.account_id = a.id
        WHERE a.id = ANY($1) AND k.id = ANY($2) AND k.revoked_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
        ORDER BY a.id, k.id FOR NO KEY UPDATE OF a${skip} FOR SHARE OF k${skip}`,
      [accountIds, keyIds],
      `hold-keys${skip}`,
    ),
  );
}

/**
 * Checks the caller in a transaction of its own, which releases the locks at once. Use it for work whose own transaction locks a domain
 * first. A lock of the account after the domain can deadlock, because publications lock the account first. Throws as `holdCaller` does.
 */
export function checkCaller(database: Database, caller: Actor): Promise<void> {
  return inTransaction(database, (transaction) => holdCaller(transaction, caller));
}
