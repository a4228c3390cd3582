/**
 * Finds or makes the user of a proven identity, and the account of the session:
 *
 *   identity known? → its user; else a new user, even if another user has the same e-mail address
 *   → an invitation? → its account; else the account used last; else a new account, whose owner is the user
 */
import type { NewId } from '../../platform/ids.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { createAccount } from './create-account.ts';
import {
  findOwnerOfIdentity,
  type Identity,
  insertIdentity,
  lockIdentity,
  recordSignIn,
} from './identity-store.ts';
import { addMember, insertUser } from './user-store.ts';

export interface SignIn {
  readonly identity: Identity;
  /** The name of a new user and of a new account. */
  readonly name: string;
  /** The token of an invitation, if there is one. */
  readonly invitation: string | undefined;
  readonly address: string | null;
}

export interface Admitted {
  readonly userId: string;
  readonly accountId: string;
}

/** Admits a person who signs in with an identity. Throws as `acceptInvitation` does. */
export async function admitIdentity(
  transaction: Transaction,
  newId: NewId,
  { identity, name, invitation, address }: SignIn,
): Promise<Admitted> {
  const userId = await findOrMakeUser(transaction, newId, identity, name);
  if (invitation === undefined) {
    return { userId, accountId: await findOrMakeAccount(transaction, newId, userId, name) };
  }
  const { accountId } = await acceptInvitation(transaction, invitation, { userId, address });
  return { userId, accountId };
}

async function findOrMakeUser(
  transaction: Transaction,
  newId: NewId,
  identity: Identity,
  name: string,
): Promise<string> {
  await lockIdentity(transaction, identity);
  const known = await findOwnerOfIdentity(transaction, identity);
  if (known !== undefined) {
    await recordSignIn(transaction, known, identity);
    return known;
  }
  const id = newId('user');
  await insertUser(transaction, { id, name, email: identity.email });
  await insertIdentity(transaction, id, identity);
  return id;
}

async function findOrMakeAccount(
  transaction: Transaction,
  newId: NewId,
  userId: string,
  name: string,
): Promise<string> {
  const { rows } = await transaction.query<{ accountId: string }>(
    `SELECT m.account_id AS "accountId" FROM members m
      WHERE m.user_id = $1
      ORDER BY greatest(m.last_used_at, (SELECT max(s.last_seen_at) FROM sessions s
                                          WHERE s.account_id = m.account_id AND s.user_id = m.user_id)) DESC NULLS LAST,
               m.created_at, m.account_id LIMIT 1`,
    [userId],
  );
  if (rows[0] !== undefined) return rows[0].accountId;
  const accountId = await createAccount(transaction, newId, name, 'free');
  await addMember(transaction, { accountId, userId, role: 'owner' });
  return accountId;
}
