/** Adds an identity to a signed-in user, or removes one. */
import { type Database, inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { PersonActor } from './actor.ts';
import { insertAuditEvent } from './audit-store.ts';
import {
  deleteIdentity,
  findOwnerOfIdentity,
  type Identity,
  type IdentityName,
  insertIdentity,
  lockIdentitiesOf,
  lockIdentity,
  lockUser,
  recordSignIn,
} from './identity-store.ts';
import { notSignedIn } from './session.ts';
import { nameOf } from './user-store.ts';

/**
 * Links an identity to the user of a session. The caller then ends this session and begins another one. Throws Refusal CONFLICT
 * when another user has the identity, and UNAUTHORIZED when the session has ended.
 */
export async function linkIdentity(
  transaction: Transaction,
  person: PersonActor,
  identity: Identity,
): Promise<void> {
  const { userId } = person.session;
  // The order of locks is identity, user, session, as in sign-ins and in `unlinkIdentity`. Another order can deadlock.
  await lockIdentity(transaction, identity);
  const owner = await findOwnerOfIdentity(transaction, identity);
  if (owner !== undefined && owner !== userId) {
    throw new Refusal('CONFLICT', 'This identity belongs to somebody else.');
  }
  await lockUser(transaction, userId);
  await holdSession(transaction, person);
  if (owner === userId) return recordSignIn(transaction, userId, identity);
  await insertIdentity(transaction, userId, identity);
  const subject = await nameOf(transaction, userId);
  const details = { issuer: identity.issuer };
  await insertAuditEvent(transaction, person, { action: 'identity.linked', subject, details });
}

/** Locks the session. Unlike `holdCaller`, this function admits the person of a suspended account. */
async function holdSession(transaction: Transaction, { session }: PersonActor): Promise<void> {
  const { rowCount } = await transaction.query(
    'SELECT FROM sessions WHERE id = $1 AND user_id = $2 AND expires_at > clock_timestamp() FOR SHARE',
    [session.id, session.userId],
  );
  if (rowCount === 0) throw notSignedIn();
}

/**
 * Unlinks an identity and ends its sessions. `canSignIn`: tells whether the provider of an identity is configured. Throws Refusal
 * NOT_FOUND, UNAUTHORIZED when the session has ended, and CONFLICT when no other identity of the user can sign in.
 */
export function unlinkIdentity(
  database: Database,
  person: PersonActor,
  identity: IdentityName,
  canSignIn: (identity: IdentityName) => boolean,
): Promise<void> {
  const { userId } = person.session;
  return inTransaction(database, async (transaction) => {
    const isThis = (one: IdentityName) => one.issuer === identity.issuer && one.subject === identity.subject;
    const identities = await lockIdentitiesOf(transaction, userId);
    await holdSession(transaction, person);
    if (!identities.some(isThis)) throw new Refusal('NOT_FOUND', 'You have no such identity.');
    if (!identities.some((one) => !isThis(one) && canSignIn(one))) {
      throw new Refusal('CONFLICT', 'You sign in with this identity. Add another one first.');
    }
    const subject = await nameOf(transaction, userId);
    const details = { issuer: identity.issuer };
    await insertAuditEvent(transaction, person, { action: 'identity.unlinked', subject, details });
    await deleteIdentity(transaction, identity);
  });
}
