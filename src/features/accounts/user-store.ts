/** The SQL of users: makes users and their memberships, and describes a user with accounts and identities. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { firstRow } from '../../platform/postgres/rows.ts';
import type { Role } from './role.ts';

export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

export interface UserDescription extends User {
  /** The accounts of the user, the oldest membership first. */
  readonly accounts: readonly { readonly id: string; readonly name: string; readonly role: Role }[];
  readonly identities: readonly {
    readonly issuer: string;
    readonly subject: string;
    readonly email: string | null;
    /** The time in milliseconds since 1970. */
    readonly lastSignInAt: number;
  }[];
}

export async function insertUser(queryable: Queryable, { id, name, email }: User): Promise<void> {
  await queryable.query('INSERT INTO users (id, name, email) VALUES ($1, $2, $3)', [id, name, email]);
}

export async function nameOf(queryable: Queryable, userId: string): Promise<string> {
  const { rows } = await queryable.query<{ name: string }>('SELECT name FROM users WHERE id = $1', [userId]);
  return rows[0]!.name;
}

/** Makes a user a member. A user who is a member already keeps the role. */
export async function addMember(
  queryable: Queryable,
  { accountId, userId, role }: { accountId: string; userId: string; role: Role },
): Promise<void> {
  await queryable.query(
    'INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [accountId, userId, role],
  );
}

/**
 * Finds the oldest owner without an identity whom a link of this account made. Only one-time links sign in this owner. Leaves out an owner
 * whom a link of another account made and who joined this account: a link of this account must not lead into the other account.
 */
export async function findLocalOwner(queryable: Queryable, accountId: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ userId: string }>(
    // A link makes the user and the membership in one transaction, so their times are equal.
    `SELECT m.user_id AS "userId" FROM members m JOIN users u ON u.id = m.user_id AND u.created_at = m.created_at
      WHERE m.account_id = $1 AND m.role = 'owner'
        AND NOT EXISTS (SELECT FROM identities i WHERE i.user_id = m.user_id)
      ORDER BY m.created_at, m.user_id LIMIT 1`,
    [accountId],
  );
  return rows[0]?.userId;
}

export function describeUser(queryable: Queryable, userId: string) {
  return firstRow<UserDescription>(
    queryable,
    `SELECT id, name, email,
            (SELECT coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'role', m.role)
                                      ORDER BY m.created_at, a.id), '[]')
               FROM members m JOIN accounts a ON a.id = m.account_id WHERE m.user_id = u.id) AS accounts,
            (SELECT coalesce(json_agg(json_build_object(
                      'issuer', i.issuer, 'subject', i.subject, 'email', i.email,
                      'lastSignInAt', floor(extract(epoch FROM i.last_sign_in_at) * 1000))
                      ORDER BY i.created_at, i.issuer, i.subject), '[]')
               FROM identities i WHERE i.user_id = u.id) AS identities
       FROM users u WHERE id = $1`,
    [userId],
  );
}
