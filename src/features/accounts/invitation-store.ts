/** The SQL of invitations. An invitation is a one-time link, and a person who signs in with the link becomes a member. */
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';
import type { Role } from './role.ts';
import { hashToken, newToken } from './secret-token.ts';

export interface InvitationWish {
  readonly role: Role;
  /** The invited person, in the inviter's words. */
  readonly note: string | null;
}

/** An invitation as the account sees it. */
export interface OpenInvitation extends InvitationWish {
  /** The beginning of the token's hash, in hexadecimal. It names the invitation, but does not work as the token. */
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface NewInvitation extends OpenInvitation {
  /** The secret of the link. Show the secret at once, because it is stored nowhere. */
  readonly token: string;
}

/** An invitation as the person with its token sees it. */
export interface Invitation {
  readonly id: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly role: Role;
  readonly expiresAt: Date;
}

const DAYS = 7;
const ID = `left(encode(token_hash, 'hex'), 16)`;
const SHOWN = `${ID} AS id, role, note, created_at AS "createdAt", expires_at AS "expiresAt"`;
const IS_OPEN = `kind = 'invitation' AND account_id = $1 AND expires_at > now()`;

/**
 * Returns the link of an invitation. The token stands behind `#`, so it reaches no server's log, no referrer and no previewer of
 * links. `origin`: the origin of the dashboard.
 */
export function invitationLink(origin: string, token: string): string {
  return `${origin}/dashboard/invitation#${token}`;
}

/** Creates an invitation in a transaction that has locked the account. `inviterId`: the user; null for the operator. */
export async function createInvitation(
  queryable: Queryable,
  accountId: string,
  { role, note }: InvitationWish,
  inviterId: string | null = null,
): Promise<NewInvitation> {
  const token = newToken();
  const { rows } = await queryable.query<OpenInvitation>(
    `INSERT INTO sign_in_links (token_hash, kind, account_id, role, note, expires_at, user_id)
     VALUES ($2, 'invitation', $1, $3, $4, now() + $5 * interval '1 day', $6) RETURNING ${SHOWN}`,
    [accountId, hashToken(token), role, note, DAYS, inviterId],
  );
  return { ...rows[0]!, token };
}

/** Lists the open invitations of an account, the newest first. */
export function listOpenInvitations(queryable: Queryable, accountId: string) {
  return allRows<OpenInvitation>(
    queryable,
    `SELECT ${SHOWN} FROM sign_in_links WHERE ${IS_OPEN} ORDER BY created_at DESC, id`,
    [accountId],
  );
}

export async function countOpenInvitations(queryable: Queryable, accountId: string): Promise<number> {
  const { rows } = await queryable.query<{ count: number }>(
    `SELECT count(*) AS count FROM sign_in_links WHERE ${IS_OPEN}`,
    [accountId],
  );
  return rows[0]!.count;
}

/** Deletes the invitations that the user made. Returns their number. */
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

/**
 * Revokes an invitation of the account. Returns undefined if the account has no such invitation, or if the invitation was used or has
 * expired.
 */
export function revokeOpenInvitation(queryable: Queryable, accountId: string, id: string) {
  return firstRow<InvitationWish>(
    queryable,
    `DELETE FROM sign_in_links WHERE ${IS_OPEN} AND ${ID} = $2 RETURNING role, note`,
    [accountId, id],
  );
}

/** Finds the invitation of a token. `lock`: locks the invitation until the transaction ends. */
export function findInvitation(queryable: Queryable, token: string, lock: '' | 'FOR UPDATE OF l' = '') {
  return firstRow<Invitation>(
    queryable,
    `SELECT ${ID} AS id, l.account_id AS "accountId", a.name AS "accountName", l.role, l.expires_at AS "expiresAt"
       FROM sign_in_links l JOIN accounts a ON a.id = l.account_id
      WHERE l.token_hash = $1 AND l.kind = 'invitation' AND l.expires_at > clock_timestamp() ${lock}`,
    [hashToken(token)],
  );
}

/** Returns the id of an invitation, as the SQL expression `ID` does. */
export const invitationIdOf = (token: string) => hashToken(token).toString('hex', 0, 8);

export async function deleteInvitation(transaction: Transaction, token: string): Promise<void> {
  await transaction.query('DELETE FROM sign_in_links WHERE token_hash = $1', [hashToken(token)]);
}
