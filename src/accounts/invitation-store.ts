/** The SQL of open invitations. Their tokens are not here: `create-invitation.ts`. */
import type { Queryable } from '../platform/postgres/database.ts';
import type { MemberRole } from './member-store.ts';

export interface OpenInvitation {
  /** The beginning of the token's hash, in hexadecimal. It names the invitation, and opens nothing. */
  readonly id: string;
  readonly role: MemberRole;
  readonly note: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const ID_LENGTH = 16;
const ID = `left(encode(token_hash, 'hex'), ${ID_LENGTH})`;
const IS_OPEN = `kind = 'invitation' AND account_id = $1 AND expires_at > now()`;

export function invitationId(tokenHash: Buffer): string {
  return tokenHash.toString('hex').slice(0, ID_LENGTH);
}

/** Newest first. */
export async function listOpenInvitations(
  queryable: Queryable,
  accountId: string,
): Promise<OpenInvitation[]> {
  const { rows } = await queryable.query<OpenInvitation>(
    `SELECT ${ID} AS id, role, note, created_at AS "createdAt", expires_at AS "expiresAt"
       FROM sign_in_links WHERE ${IS_OPEN} ORDER BY created_at DESC, id`,
    [accountId],
  );
  return rows;
}

export async function countOpenInvitations(queryable: Queryable, accountId: string): Promise<number> {
  const { rows } = await queryable.query<{ count: number }>(
    `SELECT count(*) AS count FROM sign_in_links WHERE ${IS_OPEN}`,
    [accountId],
  );
  return rows[0]!.count;
}

/** Those that the user made. Returns how many. */
export async function deleteInvitationsOf(
  queryable: Queryable,
  accountId: string,
  userId: string,
): Promise<number> {
  const { rowCount } = await queryable.query(`DELETE FROM sign_in_links WHERE ${IS_OPEN} AND user_id = $2`, [
    accountId,
    userId,
  ]);
  return rowCount ?? 0;
}

/** Undefined also for another account's, and for one that was used meanwhile. */
export async function deleteInvitation(
  queryable: Queryable,
  accountId: string,
  id: string,
): Promise<Pick<OpenInvitation, 'role' | 'note'> | undefined> {
  const { rows } = await queryable.query<Pick<OpenInvitation, 'role' | 'note'>>(
    `DELETE FROM sign_in_links WHERE ${IS_OPEN} AND ${ID} = $2 RETURNING role, note`,
    [accountId, id],
  );
  return rows[0];
}
