/** The SQL of members: the people who may act in an account. The end of a membership ends the member's sessions in the account. */
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { allRows, firstRow, onlyRow } from '../../platform/postgres/rows.ts';
import type { Role } from './role.ts';

export interface Member {
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  readonly joinedAt: Date;
  /** The time when a session of the member was last used, of those in this account; null if there are none. */
  readonly lastSeenAt: Date | null;
}

const MEMBER = `
  SELECT m.user_id AS "userId", u.name, u.email, m.role, m.created_at AS "joinedAt",
         (SELECT max(last_seen_at) FROM sessions s WHERE s.account_id = m.account_id AND s.user_id = m.user_id) AS "lastSeenAt"
    FROM members m JOIN users u ON u.id = m.user_id`;

/** Lists the members of an account, in the order of joining. */
export function listMembers(queryable: Queryable, accountId: string) {
  return allRows<Member>(queryable, `${MEMBER} WHERE m.account_id = $1 ORDER BY m.created_at, m.user_id`, [
    accountId,
  ]);
}

export function findMember(queryable: Queryable, accountId: string, userId: string) {
  return firstRow<Member>(queryable, `${MEMBER} WHERE m.account_id = $1 AND m.user_id = $2`, [
    accountId,
    userId,
  ]);
}

export function countMembers(
  queryable: Queryable,
  accountId: string,
): Promise<{ readonly all: number; readonly owners: number }> {
  return onlyRow<{ all: number; owners: number }>(
    queryable,
    `SELECT count(*) AS all, count(*) FILTER (WHERE role = 'owner') AS owners FROM members WHERE account_id = $1`,
    [accountId],
  );
}

export async function setRole(
  transaction: Transaction,
  accountId: string,
  userId: string,
  role: Role,
): Promise<void> {
  await transaction.query('UPDATE members SET role = $3 WHERE account_id = $1 AND user_id = $2', [
    accountId,
    userId,
    role,
  ]);
}

/**
 * Makes changes of a member's sessions and identities wait until the transaction ends. Locks the user only if the user is a member of the
 * account.
 */
export async function lockMember(transaction: Transaction, accountId: string, userId: string): Promise<void> {
  await transaction.query(
    slowStatement(
      `SELECT FROM users WHERE id = $2 AND EXISTS (SELECT FROM members WHERE account_id = $1 AND user_id = $2)
          FOR NO KEY UPDATE`,
      [accountId, userId],
    ),
  );
}

export async function deleteMember(
  transaction: Transaction,
  accountId: string,
  userId: string,
): Promise<void> {
  await transaction.query('DELETE FROM members WHERE account_id = $1 AND user_id = $2', [accountId, userId]);
}
