/** Invitations are looked at, and used once (create-invitation.ts makes them). */
import type { Queryable, Transaction } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Actor } from './actor.ts';
import { insertAuditEvent } from './audit-store.ts';
import { hashToken } from './secret-token.ts';
import type { Role } from './session.ts';

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
 * as it is. Of several at once, one gets it. Throws Refusal NOT_FOUND.
 */
export async function acceptInvitation(
  transaction: Transaction,
  token: string,
  { userId, address }: Newcomer,
): Promise<OpenInvitation> {
  const { rows } = await transaction.query<OpenInvitation>(`${OPEN} FOR UPDATE OF l`, [hashToken(token)]);
  const invitation = rows[0];
  if (invitation === undefined) throw noInvitation();
  const { accountId, role } = invitation;
  const { rowCount } = await transaction.query(
    `INSERT INTO members AS m (account_id, user_id, role) VALUES ($1, $2, $3)
     ON CONFLICT (account_id, user_id) DO UPDATE SET role = excluded.role
      WHERE m.role = 'member' AND excluded.role = 'owner'`,
    [accountId, userId, role],
  );
  if (rowCount === 0) return invitation;
  await transaction.query('DELETE FROM sign_in_links WHERE token_hash = $1', [hashToken(token)]);
  const subject = await nameOf(transaction, userId);
  const joined = { action: 'member.joined', subject, details: { role } } as const;
  await insertAuditEvent(transaction, personWithoutSession(accountId, { userId, address }), joined);
  return invitation;
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
