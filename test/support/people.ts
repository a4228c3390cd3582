/** People to begin a test with, and their events in the audit log. */
import type { PersonActor } from '../../src/features/accounts/actor.ts';
import type { Role } from '../../src/features/accounts/role.ts';
import { newToken } from '../../src/features/accounts/secret-token.ts';
import { insertSession, type NewSession } from '../../src/features/accounts/session-store.ts';
import { addMember, insertUser } from '../../src/features/accounts/user-store.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Database } from '../../src/platform/postgres/database.ts';

const ADDRESS = '192.0.2.7';

/** Adds a member to the account. Returns the user's id. */
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

/** Returns the stored session, with its token. */
export async function addSession(
  database: Database,
  person: Pick<NewSession, 'accountId' | 'userId'> & Partial<NewSession>,
): Promise<NewSession> {
  const session = {
    id: newId('session'),
    token: newToken(),
    issuer: null,
    subject: null,
    sid: null,
    idToken: null,
    authenticatedAt: new Date(),
    userAgent: null,
    address: null,
    ...person,
  };
  await insertSession(database, session);
  return session;
}

/** Adds a user with a role in the account, and a session. */
export async function addSignedIn(
  database: Database,
  accountId: string,
  role: Role = 'owner',
  name = 'Ada',
): Promise<PersonActor> {
  const userId = await addUser(database, accountId, { role, name });
  return openSession(database, accountId, userId);
}

/** Adds another session of a member. */
export async function openSession(
  database: Database,
  accountId: string,
  userId: string,
): Promise<PersonActor> {
  const { id } = await addSession(database, { accountId, userId });
  return { accountId, keyId: null, session: { id, userId }, address: ADDRESS };
}

/** All rows of an account in the audit log, oldest first. */
export async function auditEventsOf(database: Database, accountId: string) {
  const { rows } = await database.query(
    `SELECT action, subject, details, user_id AS "userId", key_id AS "keyId", actor_name AS "actorName", address
       FROM audit_events WHERE account_id = $1 ORDER BY id`,
    [accountId],
  );
  return rows;
}
