/** The SQL of invitations: one-time links that make a member of whoever signs in with them. */
import type { Queryable, Transaction } from '../platform/postgres/database.ts';
import type { Role } from './role.ts';
import { hashToken, newToken } from './secret-token.ts';

export interface InvitationWish {
  readonly role: Role;
  /** For whom, in the inviter's words. */
  readonly note: string | null;
}

/** As the account sees it. */
export interface OpenInvitation extends InvitationWish {
  /** The beginning of the token's hash, in hexadecimal. It names the invitation, and opens nothing. */
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface NewInvitation extends OpenInvitation {
  /** The link's secret. Show it once; it is stored nowhere. */
  readonly token: string;
}

/** As whoever has its token sees it. */
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
 * Behind `#`, so the token reaches no server's log, no referrer and no previewer of links. `origin`: of the
 * dashboard.
 */
export function invitationLink(origin: string, token: string): string {
  return `${origin}/dashboard/invitation#${token}`;
}

/** `inviterId`: of the user; null for the operator. Returns undefined when there is no such account. */
export async function createInvitation(
  queryable: Queryable,
  accountId: string,
  { role, note }: InvitationWish,
  inviterId: string | null = null,
): Promise<NewInvitation | undefined> {
  const token = newToken();
  const { rows } = await queryable.query<OpenInvitation>(
    `INSERT INTO sign_in_links (token_hash, kind, account_id, role, note, expires_at, user_id)
     SELECT $2, 'invitation', id, $3, $4, now() + $5 * interval '1 day', $6 FROM accounts WHERE id = $1
     RETURNING ${SHOWN}`,
    [accountId, hashToken(token), role, note, DAYS, inviterId],
  );
  return rows[0] && { ...rows[0], token };
}

/** Newest first. */
export async function listOpenInvitations(
  queryable: Queryable,
  accountId: string,
): Promise<OpenInvitation[]> {
  const { rows } = await queryable.query<OpenInvitation>(
    `SELECT ${SHOWN} FROM sign_in_links WHERE ${IS_OPEN} ORDER BY created_at DESC, id`,
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

/** By the account. Undefined also for another account's, and for one that was used meanwhile. */
export async function revokeOpenInvitation(
  queryable: Queryable,
  accountId: string,
  id: string,
): Promise<InvitationWish | undefined> {
  const { rows } = await queryable.query<InvitationWish>(
    `DELETE FROM sign_in_links WHERE ${IS_OPEN} AND ${ID} = $2 RETURNING role, note`,
    [accountId, id],
  );
  return rows[0];
}

/** `lock`: until the end of the transaction. */
export async function findInvitation(
  queryable: Queryable,
  token: string,
  lock: '' | 'FOR UPDATE OF l' = '',
): Promise<Invitation | undefined> {
  const { rows } = await queryable.query<Invitation>(
    `SELECT ${ID} AS id, l.account_id AS "accountId", a.name AS "accountName", l.role, l.expires_at AS "expiresAt"
       FROM sign_in_links l JOIN accounts a ON a.id = l.account_id
      WHERE l.token_hash = $1 AND l.kind = 'invitation' AND l.expires_at > clock_timestamp() ${lock}`,
    [hashToken(token)],
  );
  return rows[0];
}

/** As `ID` is in SQL. */
export const invitationIdOf = (token: string) => hashToken(token).toString('hex', 0, 8);

/** Whoever has its token used it. */
export async function deleteInvitation(transaction: Transaction, token: string): Promise<void> {
  await transaction.query('DELETE FROM sign_in_links WHERE token_hash = $1', [hashToken(token)]);
}
