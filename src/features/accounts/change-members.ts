/**
 * Changes the members of an account, and records each change in the audit log. Only owners change others; every member may leave. An
 * account never loses its last owner: each change locks the account, so if the last two owners leave at once, one stays. The invitations of
 * a person end when the person stops being an owner, because the person knows the links and could come back with one of them.
 */
import { type Database, inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { PersonActor } from './actor.ts';
import { insertAuditEvent } from './audit-store.ts';
import { holdCaller } from './hold-caller.ts';
import { deleteInvitationsOf } from './invitation-store.ts';
import { revokeKeysOf } from './key-store.ts';
import { countMembers, deleteMember, findMember, lockMember, type Member, setRole } from './member-store.ts';
import type { Role } from './role.ts';

/** Changes the role of a member. Throws Refusal UNAUTHORIZED, FORBIDDEN, NOT_FOUND, or CONFLICT for the last owner. */
export async function changeRole(
  database: Database,
  person: PersonActor,
  userId: string,
  role: Role,
): Promise<Member> {
  return asMember(database, person, async (transaction, self) => {
    requireOwner(self);
    const member = await getMember(transaction, person.accountId, userId);
    if (member.role === role) return member;
    await requireOtherOwner(transaction, person.accountId, member);
    await setRole(transaction, person.accountId, userId, role);
    const invitations = await revokeInvitationsOf(transaction, person.accountId, userId);
    const details = { userId, from: member.role, to: role, ...invitations };
    const event = { action: 'member.role_changed', subject: member.name, details } as const;
    await insertAuditEvent(transaction, person, event);
    return { ...member, role };
  });
}

/** Removes a member. Throws as `changeRole` does. */
export async function removeMember(database: Database, person: PersonActor, userId: string): Promise<void> {
  // Each transaction that ends sessions locks their user first. The removal ends sessions, too, so another order can deadlock.
  const first = (transaction: Transaction) => lockMember(transaction, person.accountId, userId);
  const remove = async (transaction: Transaction, self: Member) => {
    const isLeaving = userId === self.userId;
    if (!isLeaving) requireOwner(self);
    const member = await getMember(transaction, person.accountId, userId);
    await requireOtherOwner(transaction, person.accountId, member);
    await deleteMember(transaction, person.accountId, userId);
    const invitations = await revokeInvitationsOf(transaction, person.accountId, userId);
    const details = { userId, role: member.role, left: isLeaving, ...invitations };
    await insertAuditEvent(transaction, person, { action: 'member.removed', subject: member.name, details });
    for (const { id: keyId, name: subject } of await revokeKeysOf(transaction, person.accountId, userId)) {
      await insertAuditEvent(transaction, person, {
        action: 'key.revoked',
        subject,
        details: { keyId, userId },
      });
    }
  };
  await asMember(database, person, remove, first);
}

/** Revokes the invitations that the user made. Returns their number for the details of the audit event; false if there were none. */
async function revokeInvitationsOf(transaction: Transaction, accountId: string, userId: string) {
  const revoked = await deleteInvitationsOf(transaction, accountId, userId);
  return revoked > 0 && { revokedInvitations: revoked };
}

/**
 * Runs `change` while no other request can change the members. `first` runs before the account is locked. Throws Refusal UNAUTHORIZED if
 * the session or the membership of the person has ended by then, and FORBIDDEN if the account is suspended.
 */
export function asMember<Result>(
  database: Database,
  person: PersonActor,
  change: (transaction: Transaction, self: Member) => Promise<Result>,
  first?: (transaction: Transaction) => Promise<void>,
): Promise<Result> {
  return inTransaction(database, async (transaction) => {
    await first?.(transaction);
    await holdCaller(transaction, person);
    return change(transaction, await getMember(transaction, person.accountId, person.session.userId));
  });
}

/** Throws Refusal FORBIDDEN unless the member is an owner. */
export function requireOwner({ role }: Pick<Member, 'role'>): void {
  if (role !== 'owner') throw new Refusal('FORBIDDEN', 'Only owners of the account may do this.');
}

async function getMember(transaction: Transaction, accountId: string, userId: string): Promise<Member> {
  const member = await findMember(transaction, accountId, userId);
  if (member === undefined) throw new Refusal('NOT_FOUND', 'There is no such member.');
  return member;
}

async function requireOtherOwner(
  transaction: Transaction,
  accountId: string,
  { role }: Member,
): Promise<void> {
  if (role !== 'owner' || (await countMembers(transaction, accountId)).owners > 1) return;
  throw new Refusal('CONFLICT', 'An account needs an owner. Make somebody else an owner first.');
}
