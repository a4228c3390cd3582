/** Invitations are looked at, and used once (`change-invitations.ts` makes them). */
import type { Queryable, Transaction } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { lockAccount } from './account-store.ts';
import type { Actor } from './actor.ts';
import { insertAuditEvent } from './audit-store.ts';
import { MAX_MEMBERS } from './change-invitations.ts';
import { deleteInvitation, findInvitation, type Invitation } from './invitation-store.ts';
import { countMembers, findMember, setRole } from './member-store.ts';
import { addMember, nameOf } from './user-store.ts';

/** Somebody whose session begins later, if at all. */
export interface Newcomer {
  readonly userId: string;
  readonly address: string | null;
}

/** Throws Refusal NOT_FOUND. */
export async function getInvitation(queryable: Queryable, token: string): Promise<Invitation> {
  const invitation = await findInvitation(queryable, token);
  if (invitation === undefined) throw noInvitation();
  return invitation;
}

/**
 * Makes the user a member, or an owner of a member who is invited as one. Whoever has the role already leaves
 * the invitation as it is. Of several at once, one gets it. Throws Refusal NOT_FOUND, and CONFLICT when the
 * account has too many members.
 */
export async function acceptInvitation(
  transaction: Transaction,
  token: string,
  newcomer: Newcomer,
): Promise<Invitation> {
  const { accountId } = await getInvitation(transaction, token);
  // First the account, as all changes of its members do.
  await lockAccount(transaction, accountId);
  const invitation = await findInvitation(transaction, token, 'FOR UPDATE OF l');
  if (invitation === undefined) throw noInvitation();
  if (await join(transaction, invitation, newcomer)) await deleteInvitation(transaction, token);
  return invitation;
}

/** Returns false for whoever has the role already. */
async function join(
  transaction: Transaction,
  { accountId, role }: Invitation,
  newcomer: Newcomer,
): Promise<boolean> {
  const { userId } = newcomer;
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
  await insertAuditEvent(transaction, personWithoutSession(accountId, newcomer), event);
  return true;
}

/** For the audit log, which has no sessions. */
function personWithoutSession(accountId: string, { userId, address }: Newcomer): Actor {
  return { accountId, keyId: null, session: { id: '', userId }, address };
}

function noInvitation(): Refusal {
  const message = 'This invitation was used or revoked, or it is too old. Ask for another one.';
  return new Refusal('NOT_FOUND', message);
}
