/** Checks a caller again, long after its request began and just before its work takes effect. */
import { slowStatement, type Transaction } from '../platform/postgres/database.ts';
import type { Actor } from './actor.ts';
import { accountSuspended, unauthorized } from './api-key.ts';
import type { Caller } from './key-store.ts';
import { notSignedIn } from './session.ts';

// Not now(): it is the time when the transaction began.
const HOLD_KEY = `
  SELECT a.suspended_at IS NOT NULL AS "isSuspended" FROM accounts a JOIN api_keys k ON k.account_id = a.id
   WHERE a.id = $1 AND k.id = $2 AND k.revoked_at IS NULL
     AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
     FOR NO KEY UPDATE OF a FOR SHARE OF k`;

// Not the account of the session: its person may have switched to another one since.
const HOLD_SESSION = `
  SELECT a.suspended_at IS NOT NULL AS "isSuspended"
    FROM accounts a JOIN members m ON m.account_id = a.id JOIN sessions s ON s.user_id = m.user_id
   WHERE a.id = $1 AND s.id = $2 AND s.expires_at > clock_timestamp()
     FOR NO KEY UPDATE OF a FOR SHARE OF m, s`;

/**
 * Other publishers of the account, and the end of the key or session, wait until the transaction ends. Throws
 * Refusal UNAUTHORIZED when the account, its key or the session is no longer valid, and FORBIDDEN when the
 * account is suspended.
 */
export async function holdCaller(
  transaction: Transaction,
  { accountId, keyId, session }: Actor,
): Promise<void> {
  const { rows } = await transaction.query<Pick<Caller, 'isSuspended'>>(
    session === null
      ? slowStatement(HOLD_KEY, [accountId, keyId])
      : slowStatement(HOLD_SESSION, [accountId, session.id]),
  );
  if (rows[0] === undefined) throw session === null ? unauthorized() : notSignedIn();
  if (rows[0].isSuspended) throw accountSuspended();
}
