/** People in an account, each with an open session. */
import type { PersonActor } from '../../src/accounts/actor.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import { addUser } from './users.ts';

const ADDRESS = '192.0.2.7';

/** A new user with a role in the account. */
export async function addSignedIn(
  database: Database,
  accountId: string,
  role: 'owner' | 'member' = 'owner',
  name = 'Ada',
): Promise<PersonActor> {
  const userId = await addUser(database, accountId, { role, name });
  return openSession(database, accountId, userId);
}

/** One more session of a member. */
export async function openSession(
  database: Database,
  accountId: string,
  userId: string,
): Promise<PersonActor> {
  const id = newId('session');
  await database.query(
    `INSERT INTO sessions (id, token_hash, user_id, account_id, authenticated_at, expires_at)
     VALUES ($1, sha256($1::text::bytea), $2, $3, now(), now() + interval '1 day')`,
    [id, userId, accountId],
  );
  return { accountId, keyId: null, session: { id, userId }, address: ADDRESS };
}

/** All events of an account as the log has them, oldest first. */
export async function auditEventsOf(database: Database, accountId: string) {
  const { rows } = await database.query(
    `SELECT action, subject, details, user_id AS "userId", key_id AS "keyId", actor_name AS "actorName", address
       FROM audit_events WHERE account_id = $1 ORDER BY id`,
    [accountId],
  );
  return rows;
}
