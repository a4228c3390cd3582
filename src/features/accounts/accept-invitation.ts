/** Shows an invitation to the person who has its link, and accepts the invitation once. `change-invitations.ts` makes invitations. */
import {
  type Database,
  inTransaction,
  type Queryable,
  type Transaction,
} from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { lockAccount } from './account-store.ts';
import type { PersonActor } from './actor.ts';
import { insertAuditEvent } from './audit-store.ts';
import { MAX_MEMBERS } from './change-invitations.ts';
import { deleteInvitation, findInvitation, type Invitation } from './invitation-store.ts';
import { countMembers, findMember, setRole } from './member-store.ts';
import { notSignedIn } from './session.ts';
import { switchAccount } from './session-store.ts';
import { addMember, nameOf } from './user-store.ts';

/** A person who accepts an invitation before their session begins. */
export interface Newcomer {
  readonly userId: string;
  readonly address: string | null;
}

/** Returns the invitation of a token. `lock`: locks the invitation until the transaction ends. Throws Refusal NOT_FOUND. */
export async function getInvitation(
  queryable: Queryable,
  token: string,
  lock?: 'FOR UPDATE OF l',
): Promise<Invitation> {
  const invitation = await findInvitation(queryable, token, lock);
  if (invitation !== undefined) return invitation;
  const message = 'This invitation was used or revoked, or it is too old. Ask for another one.';
  throw new Refusal('NOT_FOUND', message);
}

/**
 * Makes the user a member, or makes a member an owner if the invitation says so. If the user is an owner already, or has the role of the
 * invitation already, the invitation stays unused. Of several concurrent calls, one uses the invitation. Throws Refusal NOT_FOUND, and
 * CONFLICT when the account has too many members.
 */
export async function acceptInvitation(
  transaction: Transaction,
  token: string,
  newcomer: Newcomer,
): Promise<Invitation> {
  const { accountId } = await getInvitation(transaction, token);
  // All changes of an account's members lock the account first.
  await lockAccount(transaction, accountId);
  const invitation = await getInvitation(transaction, token, 'FOR UPDATE OF l');
  if (await join(transaction, invitation, newcomer)) await deleteInvitation(transaction, token);
  return invitation;
}

/**
 * Makes the person a member and switches the session to the account. Throws as `acceptInvitation` does, and Refusal UNAUTHORIZED when the
 * session has ended.
 */
export function joinAccount(
  database: Database,
  { session, address }: PersonActor,
  token: string,
): Promise<Invitation> {
  return inTransaction(database, async (transaction) => {
    const invitation = await acceptInvitation(transaction, token, { userId: session.userId, address });
    // The session may have ended while the body of the request came. Then the person does not join.
    if (!(await switchAccount(transaction, session, invitation.accountId))) throw notSignedIn();
    return invitation;
  });
}

/** Makes the user a member or an owner. Returns false if the user is an owner already, or has the role of the invitation already. */
async function join(
  transaction: Transaction,
  { accountId, role }: Invitation,
  { userId, address }: Newcomer,
): Promise<boolean> {
  const member = await findMember(transaction, accountId, userId);
  if (member !== undefined && (member.role === role || member.role === 'owner')) return false;
  if (member !== undefined) await setRole(transaction, accountId, userId, role);
  else {
    if ((await countMembers(transaction, accountId)).all >= MAX_MEMBERS) {
      throw new Refusal('CONFLICT', `The account has ${MAX_MEMBERS} members already.`);
    }
    await addMember(transaction, { accountId, userId, role });
  }
  const subject = await nameOf(transaction, userId);
  const event = { action: 'member.joined', subject, details: { role } } as const;
  // The audit log records the user, but not the session, so the session needs no id.
  const actor = { accountId, keyId: null, session: { id: '', userId }, address };
  await insertAuditEvent(transaction, actor, event);
  return true;
}
