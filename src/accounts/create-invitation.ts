/**
 * Invitations: a one-time link that makes a member of whoever signs in with it. The token stands behind `#`, so it reaches
 * no server's log, no referrer and no previewer of links. The database keeps its hash only.
 */
import type { Queryable } from '../platform/postgres/database.ts';
import { hashToken, newToken } from './secret-token.ts';
import type { Role } from './session.ts';

export interface InvitationWish {
  readonly accountId: string;
  readonly role: Role;
  /** For whom, in the inviter's words. */
  readonly note: string | null;
}

export interface NewInvitation extends InvitationWish {
  /** The link's secret. Show it once; it is stored nowhere. */
  readonly token: string;
  readonly tokenHash: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const DAYS = 7;

/** `inviterId`: of the user; null for the operator. Returns undefined when there is no such account. */
export async function createInvitation(
  queryable: Queryable,
  wish: InvitationWish,
  inviterId: string | null = null,
): Promise<NewInvitation | undefined> {
  const token = newToken();
  const tokenHash = hashToken(token);
  const { rows } = await queryable.query<{ createdAt: Date; expiresAt: Date }>(
    `INSERT INTO sign_in_links (token_hash, kind, account_id, role, note, expires_at, user_id)
     SELECT $2, 'invitation', id, $3, $4, now() + $5 * interval '1 day', $6 FROM accounts WHERE id = $1
     RETURNING created_at AS "createdAt", expires_at AS "expiresAt"`,
    [wish.accountId, tokenHash, wish.role, wish.note, DAYS, inviterId],
  );
  return rows[0] && { ...wish, token, tokenHash, ...rows[0] };
}

/** `origin`: of the dashboard, as in https://api.example.net. */
export function invitationLink(origin: string, token: string): string {
  return `${origin}/dashboard/invitation#${token}`;
}
