/** Invitations are looked at, and used once (create-invitation.ts makes them). */
import type { Queryable, Transaction } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { lockAccount } from './account-store.ts';
import type { Actor } from './actor.ts';
import { insertAuditEvent } from './audit-store.ts';
import { MAX_MEMBERS } from './change-invitations.ts';
import { countMembers, findMember, setRole } from './member-store.ts';
import type { Role } from './role.ts';
import { hashToken } from './secret-token.ts';
import { addMember } from './user-store.ts';

export interface OpenInvitation {
  readonly accountId: string;
  readonly accountName: string;
  readonly role: Role;
  readonly expiresAt: Date;
}

/** Somebody whose session begins later, if at all. */
export interface Newcomer {
  readonly userId: string;
  readonly address: string | null;
}

const OPEN = `
  SELECT l.account_id AS "accountId", a.name AS "accountName", l.role, l.expires_at AS "expiresAt"
    FROM sign_in_links l JOIN accounts a ON a.id = l.account_id
   WHERE l.token_hash = $1 AND l.kind = 'invitation' AND l.expires_at > clock_timestamp()`;

/** Throws Refusal NOT_FOUND. */
export async function getInvitation(queryable: Queryable, token: string): Promise<OpenInvitation> {
  const { rows } = await queryable.query<OpenInvitation>(OPEN, [hashToken(token)]);
  if (rows[0] === undefined) throw noInvitation();
  return rows[0];
}

/**
 * Makes the user a member, or an owner of a member who is invited as one. Whoever has the role already leaves the invitation
 * as it is. Of several at once, one gets it. Throws Refusal NOT_FOUND, and CONFLICT when the account has too many members.
 */
export async function acceptInvitation(
  transaction: Transaction,
  token: string,
  newcomer: Newcomer,
): Promise<OpenInvitation> {
  const { accountId } = await getInvitation(transaction, token);
  // First the account, as all changes of its members do.
  await lockAccount(transaction, accountId);
  const { rows } = await transaction.query<OpenInvitation>(`${OPEN} FOR UPDATE OF l`, [hashToken(token)]);
  const invitation = rows[0];
  if (invitation === undefined) throw noInvitation();
  if (await join(transaction, invitation, newcomer)) {
    await transaction.query('DELETE FROM sign_in_links WHERE token_hash = $1', [hashToken(token)]);
  }
  return invitation;
}

/** Returns false for whoever has the role already. */
async function join(
  transaction: Transaction,
  { accountId, role }: OpenInvitation,
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

export async function nameOf(queryable: Queryable, userId: string): Promise<string> {
  const { rows } = await queryable.query<{ name: string }>('SELECT name FROM users WHERE id = $1', [userId]);
  return rows[0]!.name;
}

function noInvitation(): Refusal {
  const message = 'This invitation was used or revoked, or it is too old. Ask for another one.';
  return new Refusal('NOT_FOUND', message);
}
