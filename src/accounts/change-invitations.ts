/** Invites people to an account, and takes invitations back, in the name of one of its owners. */
import type { Database } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import type { PersonActor } from './actor.ts';
import { insertAuditEvent } from './audit-store.ts';
import { asMember, requireOwner } from './change-members.ts';
import { createInvitation, type NewInvitation } from './create-invitation.ts';
import { countOpenInvitations, deleteInvitation, invitationId } from './invitation-store.ts';
import { countMembers, type MemberRole } from './member-store.ts';

/** Whoever accepts an invitation is bound by it, too. */
export const MAX_MEMBERS = 100;
const MAX_OPEN_INVITATIONS = 50;

/** Throws Refusal UNAUTHORIZED, FORBIDDEN, or CONFLICT when there are too many. */
export async function invite(
  database: Database,
  person: PersonActor,
  { role, note }: { readonly role: MemberRole; readonly note: string | null },
): Promise<NewInvitation> {
  const { accountId } = person;
  return asMember(database, person, async (transaction, self) => {
    requireOwner(self);
    if ((await countMembers(transaction, accountId)).all >= MAX_MEMBERS) {
      throw new Refusal('CONFLICT', `An account has at most ${MAX_MEMBERS} members. Remove one first.`);
    }
    if ((await countOpenInvitations(transaction, accountId)) >= MAX_OPEN_INVITATIONS) {
      const message = `An account has at most ${MAX_OPEN_INVITATIONS} open invitations. Revoke one first.`;
      throw new Refusal('CONFLICT', message);
    }
    const created = (await createInvitation(transaction, { accountId, role, note }))!;
    const details = { invitationId: invitationId(created.tokenHash), role };
    await insertAuditEvent(transaction, person, { action: 'member.invited', subject: note ?? '', details });
    return created;
  });
}

/** Throws Refusal UNAUTHORIZED, FORBIDDEN, or NOT_FOUND, also for another account's and for one that was used. */
export async function revokeInvitation(database: Database, person: PersonActor, id: string): Promise<void> {
  const { accountId } = person;
  await asMember(database, person, async (transaction, self) => {
    requireOwner(self);
    const revoked = await deleteInvitation(transaction, accountId, id);
    if (revoked === undefined) throw new Refusal('NOT_FOUND', 'There is no such invitation.');
    const event = { subject: revoked.note ?? '', details: { invitationId: id, role: revoked.role } };
    await insertAuditEvent(transaction, person, { action: 'invitation.revoked', ...event });
  });
}
