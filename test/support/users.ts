/** Users to begin a test with. */

import type { Role } from '../../src/accounts/role.ts';
import { newToken } from '../../src/accounts/secret-token.ts';
import { insertSession, type NewSession } from '../../src/accounts/session-store.ts';
import { addMember, insertUser } from '../../src/accounts/user-store.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Database } from '../../src/platform/postgres/database.ts';

/** A member of the account. Returns the user's id. */
export async function addUser(
  database: Database,
  accountId: string,
  { role = 'owner', name = 'Ada' }: { role?: Role; name?: string } = {},
): Promise<string> {
  const id = newId('user');
  await insertUser(database, { id, name, email: `${id}@example.com` });
  await addMember(database, { accountId, userId: id, role });
  return id;
}

export async function addIdentity(database: Database, userId: string, subject = userId): Promise<void> {
  await database.query('INSERT INTO identities (issuer, subject, user_id) VALUES ($1, $2, $3)', [
    'https://id.example.net',
    subject,
    userId,
  ]);
}

/** Returns what was stored, with the token. */
export async function addSession(
  database: Database,
  person: Pick<NewSession, 'accountId' | 'userId'> & Partial<NewSession>,
): Promise<NewSession> {
  const session = {
    ...{ id: newId('session'), token: newToken(), issuer: null, subject: null, sid: null, idToken: null },
    ...{ authenticatedAt: new Date(), userAgent: null, address: null },
    ...person,
  };
  await insertSession(database, session);
  return session;
}
