/** The SQL of sessions. The end of a user, a membership or an identity ends its sessions at once. */
import {
  type Database,
  inTransaction,
  type Queryable,
  slowStatement,
  type Transaction,
  violatedConstraint,
} from '../../platform/postgres/database.ts';
import { type Asked, EACH_OF_BYTES, inOrder } from '../../platform/postgres/many-asked.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';
import { hashToken } from './secret-token.ts';
import { notSignedIn, SESSION_DAYS, type SessionOwner } from './session.ts';

export interface NewSession {
  readonly id: string;
  readonly token: string;
  readonly userId: string;
  readonly accountId: string;
  /** The issuer and subject of the identity; both null after a one-time link. */
  readonly issuer: string | null;
  readonly subject: string | null;
  /** The provider's name for its own session. */
  readonly sid: string | null;
  /** The sealed ID token of the provider. */
  readonly idToken: string | null;
  readonly authenticatedAt: Date;
  readonly userAgent: string | null;
  readonly address: string | null;
}

/** A session as its person sees it. */
export interface SessionDescription {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly userAgent: string | null;
  readonly address: string | null;
}

/** The members of an ended session that a sign-out at the provider needs. */
export interface EndedSession extends Pick<NewSession, 'id' | 'issuer' | 'subject' | 'sid' | 'idToken'> {}

/** The most sessions of a user, more than a person has browsers. */
const MAX_SESSIONS = 50;
const ENDED = 'id, issuer, subject, sid, id_token AS "idToken"';
const IS_UNSEEN = "s.last_seen_at < now() - interval '1 minute'";
const IS_OPEN = "s.expires_at > now() AND s.last_seen_at > now() - interval '12 hours'";

/**
 * Returns a statement that ends sessions, and returns them. It also stores when each user last used the account, because the next sign-in
 * begins in the account that was used last. It skips the row of a member that a publication holds.
 */
const endingSessions = (condition: string) =>
  `WITH ended AS (
     DELETE FROM sessions s WHERE ${condition} RETURNING *
   ), free AS MATERIALIZED (
     SELECT m.account_id, m.user_id FROM members m
      WHERE (m.account_id, m.user_id) IN (SELECT account_id, user_id FROM ended) FOR NO KEY UPDATE SKIP LOCKED
   ), kept AS (
     UPDATE members m SET last_used_at = greatest(m.last_used_at, (SELECT max(e.last_seen_at) FROM ended e
                                                                    WHERE e.account_id = m.account_id AND e.user_id = m.user_id))
       FROM free WHERE m.account_id = free.account_id AND m.user_id = free.user_id
   )
   SELECT ${ENDED} FROM ended`;

/** Inserts a session. Throws Refusal UNAUTHORIZED when the user, the membership or the identity was deleted meanwhile. */
export async function insertSession(queryable: Queryable, session: NewSession): Promise<void> {
  const { id, token, userId, accountId, issuer, subject, sid, idToken, authenticatedAt } = session;
  try {
    await queryable.query(
      `INSERT INTO sessions (id, token_hash, user_id, account_id, issuer, subject, sid, id_token, authenticated_at,
                             user_agent, address, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now() + $12 * interval '1 day')`,
      [
        ...[id, hashToken(token), userId, accountId, issuer, subject, sid, idToken, authenticatedAt],
        ...[session.userAgent, session.address, SESSION_DAYS],
      ],
    );
  } catch (error) {
    if (violatedConstraint(error)?.endsWith('_fkey')) throw notSignedIn();
    throw error;
  }
}

/** Looks up the sessions, in the order of their tokens, and records their use at most once a minute, as `findCallers` does. */
export async function findSessions(
  queryable: Queryable,
  tokens: readonly string[],
): Promise<readonly (SessionOwner | undefined)[]> {
  const { rows } = await queryable.query<
    Asked & Omit<SessionOwner, 'session'> & { readonly id: string; readonly userId: string }
  >({
    name: 'find-sessions',
    text: `WITH valid AS (
             SELECT n, s.*
               FROM ${EACH_OF_BYTES} AS asked (token_hash, n) CROSS JOIN LATERAL (
                 SELECT s.id, s.user_id, s.account_id, m.role, a.plan, a.suspended_at, ${IS_UNSEEN} AS "isUnseen"
                   FROM sessions s
                   JOIN members m ON m.account_id = s.account_id AND m.user_id = s.user_id
                   JOIN accounts a ON a.id = s.account_id
                  WHERE s.token_hash = asked.token_hash AND ${IS_OPEN}
                  LIMIT 1) s
           ), seen AS (
             UPDATE sessions SET last_seen_at = now()
              WHERE id IN (SELECT unseen.id
                            FROM valid CROSS JOIN LATERAL (
                              SELECT s.id FROM sessions s WHERE s.id = valid.id AND ${IS_UNSEEN}
                               LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) unseen
                           WHERE valid."isUnseen")
           )
           SELECT n, id, user_id AS "userId", account_id AS "accountId", role, plan,
                  suspended_at IS NOT NULL AS "isSuspended" FROM valid`,
    values: [tokens.map(hashToken)],
  });
  return inOrder(tokens.length, rows).map((found) => {
    if (found === undefined) return undefined;
    const { id, userId, ...owner } = found;
    return { ...owner, session: { id, userId } };
  });
}

export async function findSession(queryable: Queryable, token: string): Promise<SessionOwner | undefined> {
  const [session] = await findSessions(queryable, [token]);
  return session;
}

/** Lists the open sessions of a user, the newest first. */
export function listSessions(queryable: Queryable, userId: string) {
  return allRows<SessionDescription>(
    queryable,
    `SELECT id, created_at AS "createdAt", last_seen_at AS "lastSeenAt", user_agent AS "userAgent", address
       FROM sessions s WHERE user_id = $1 AND ${IS_OPEN} ORDER BY created_at DESC, id`,
    [userId],
  );
}

/** Returns the time when an open session ends if it is not used. */
export async function findSessionEnd(queryable: Queryable, id: string): Promise<Date | undefined> {
  const { rows } = await queryable.query<{ end: Date }>(
    `SELECT least(expires_at, last_seen_at + interval '12 hours') AS end FROM sessions WHERE id = $1`,
    [id],
  );
  return rows[0]?.end;
}

/** Switches a session to another account. Returns false when the session has ended, or when the user is not a member of that account. */
export async function switchAccount(
  queryable: Queryable,
  { id, userId }: SessionOwner['session'],
  accountId: string,
): Promise<boolean> {
  const { rowCount } = await queryable.query(
    // This statement and all other changes of sessions below may wait: a publication locks the session of its caller.
    slowStatement(
      `UPDATE sessions SET account_id = $3
        WHERE id = $1 AND user_id = $2 AND EXISTS (SELECT FROM members WHERE account_id = $3 AND user_id = $2)`,
      [id, userId, accountId],
    ),
  );
  return rowCount === 1;
}

export function endSessionOfToken(queryable: Queryable, token: string) {
  return firstRow<EndedSession>(
    queryable,
    slowStatement(endingSessions('s.token_hash = $1'), [hashToken(token)]),
  );
}

/** Ends a session of the user. Returns false when the user has no such session. */
export async function endSession(queryable: Queryable, userId: string, id: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    slowStatement('DELETE FROM sessions WHERE id = $1 AND user_id = $2', [id, userId]),
  );
  return rowCount === 1;
}

export function endAllSessions(database: Database, userId: string): Promise<void> {
  return inTransaction(database, (transaction) => endSessions(transaction, 's.user_id = $1', [userId]));
}

/**
 * Ends sessions. Locks their users first, as changes of identities do. Such a change holds one session and ends others, so another order
 * can deadlock.
 */
export async function endSessions(
  transaction: Transaction,
  condition: string,
  values: readonly unknown[],
): Promise<void> {
  const lockUsers = `WITH theirs AS MATERIALIZED (SELECT DISTINCT s.user_id AS id FROM sessions s WHERE ${condition})
                     SELECT FROM users u JOIN theirs USING (id) ORDER BY id FOR NO KEY UPDATE OF u`;
  await transaction.query(slowStatement(lockUsers, values));
  await transaction.query(slowStatement(endingSessions(condition), values));
}

/**
 * Returns the condition of those sessions that no other transaction ends or holds. Locked sessions wait for the next call: a wait for their
 * locks can deadlock, because other transactions end sessions in another order.
 */
const freeSessions = (condition: string) =>
  `s.id IN (SELECT s.id FROM sessions s WHERE ${condition} FOR UPDATE SKIP LOCKED)`;

/** Deletes all but the newest sessions of a user, so that one user cannot fill the table. */
export async function endOldestSessions(queryable: Queryable, userId: string): Promise<void> {
  const oldest =
    's.id IN (SELECT id FROM sessions WHERE user_id = $1 ORDER BY created_at DESC, id OFFSET $2)';
  await queryable.query(`DELETE FROM sessions s WHERE ${freeSessions(oldest)}`, [userId, MAX_SESSIONS]);
}

/** Deletes ended sessions, old sign-in links and invitations, and expired logout tokens. */
export async function deleteOldSessions(queryable: Queryable): Promise<void> {
  await queryable.query(slowStatement(endingSessions(freeSessions(`NOT (${IS_OPEN})`)), []));
  // A link stays for a day after its end, so that a person who uses the link reads that the link is too old.
  await queryable.query("DELETE FROM sign_in_links WHERE expires_at < now() - interval '1 day'");
  await queryable.query('DELETE FROM used_logout_tokens WHERE expires_at < now()');
}
