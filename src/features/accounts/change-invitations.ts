/** Invites people to an account, and revokes invitations. Owners do both; operators only invite. */
import { type Database, inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { lockAccount } from './account-store.ts';
import { type Operator, operatorOf, type PersonActor } from './actor.ts';
import { insertAuditEvent } from './audit-store.ts';
import { asMember, requireOwner } from './change-members.ts';
import {
  countOpenInvitations,
  createInvitation,
  type InvitationWish,
  type NewInvitation,
  revokeOpenInvitation,
} from './invitation-store.ts';
import { countMembers } from './member-store.ts';
import type { Role } from './role.ts';

/** The most members of an account. For a new invitation, open invitations count as members, so that each invited person finds a place. */
export const MAX_MEMBERS = 100;
const MAX_OPEN_INVITATIONS = 50;

/** Makes an invitation. Throws Refusal UNAUTHORIZED, FORBIDDEN, or CONFLICT when the account has too many members or open invitations. */
export async function invite(
  database: Database,
  person: PersonActor,
  wish: InvitationWish,
): Promise<NewInvitation> {
  const { accountId } = person;
  return asMember(database, person, async (transaction, self) => {
    requireOwner(self);
    await refuseTooMany(transaction, accountId);
    const created = await createInvitation(transaction, accountId, wish, self.userId);
    const details = { invitationId: created.id, role: wish.role };
    await insertAuditEvent(transaction, person, {
      action: 'member.invited',
      subject: wish.note ?? '',
      details,
    });
    return created;
  });
}

/**
 * Makes an invitation for an operator, for example to invite the first owner. Throws Refusal NOT_FOUND when there is no such account, or
 * CONFLICT when the account has too many members or open invitations.
 */
export async function inviteForOperator(
  database: Database,
  operator: Operator,
  accountId: string,
  role: Role,
): Promise<NewInvitation> {
  return inTransaction(database, async (transaction) => {
    if (!(await lockAccount(transaction, accountId)))
      throw new Refusal('NOT_FOUND', 'There is no such account.');
    await refuseTooMany(transaction, accountId);
    const created = await createInvitation(transaction, accountId, { role, note: null });
    const event = {
      action: 'member.invited',
      subject: '',
      details: { invitationId: created.id, role },
    } as const;
    await insertAuditEvent(transaction, operatorOf(accountId, operator), event);
    return created;
  });
}

/**
 * Revokes an invitation. Throws Refusal UNAUTHORIZED, FORBIDDEN, or NOT_FOUND. A used invitation, and an invitation of another account, are
 * not found.
 */
export async function revokeInvitation(database: Database, person: PersonActor, id: string): Promise<void> {
  const { accountId } = person;
  await asMember(database, person, async (transaction, self) => {
    requireOwner(self);
    const revoked = await revokeOpenInvitation(transaction, accountId, id);
    if (revoked === undefined) throw new Refusal('NOT_FOUND', 'There is no such invitation.');
    const event = { subject: revoked.note ?? '', details: { invitationId: id, role: revoked.role } };
    await insertAuditEvent(transaction, person, { action: 'invitation.revoked', ...event });
  });
}

async function refuseTooMany(transaction: Transaction, accountId: string): Promise<void> {
  const open = await countOpenInvitations(transaction, accountId);
  const { all } = await countMembers(transaction, accountId);
  if (open >= MAX_OPEN_INVITATIONS) {
    const message = `An account has at most ${MAX_OPEN_INVITATIONS} open invitations. Revoke one first.`;
    throw new Refusal('CONFLICT', message);
  }
  if (all + open >= MAX_MEMBERS) {
    const message = `An account has at most ${MAX_MEMBERS} members and open invitations. Remove one first.`;
    throw new Refusal('CONFLICT', message);
  }
}
