/** The SQL of identities. An identity names a person at a provider by issuer and subject (OpenID Connect Core 1.0, section 2). */
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';

export interface IdentityName {
  readonly issuer: string;
  readonly subject: string;
}

export interface Identity extends IdentityName {
  readonly email: string | null;
}

/** Makes sign-ins of one identity wait for each other until the transaction ends, even before the identity has a row. */
export async function lockIdentity(
  transaction: Transaction,
  { issuer, subject }: IdentityName,
): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    JSON.stringify([issuer, subject]),
  ]);
}

/** Returns the user of an identity, if any. Locks the user's row, so that of concurrent sign-ins only one makes an account. */
export async function findOwnerOfIdentity(
  transaction: Transaction,
  { issuer, subject }: IdentityName,
): Promise<string | undefined> {
  const { rows } = await transaction.query<{ id: string }>(
    `SELECT u.id FROM identities i JOIN users u ON u.id = i.user_id
      WHERE i.issuer = $1 AND i.subject = $2 FOR NO KEY UPDATE OF u`,
    [issuer, subject],
  );
  return rows[0]?.id;
}

export async function insertIdentity(
  transaction: Transaction,
  userId: string,
  { issuer, subject, email }: Identity,
): Promise<void> {
  await transaction.query(
    'INSERT INTO identities (issuer, subject, user_id, email) VALUES ($1, $2, $3, $4)',
    [issuer, subject, userId, email],
  );
}

/** Records a sign-in, with the e-mail address that the provider names now. */
export async function recordSignIn(
  transaction: Transaction,
  userId: string,
  { issuer, subject, email }: Identity,
): Promise<void> {
  await transaction.query(
    `WITH used AS (
       UPDATE identities SET email = $4, last_sign_in_at = now() WHERE issuer = $2 AND subject = $3
     )
     UPDATE users SET email = $4 WHERE id = $1`,
    [userId, issuer, subject, email],
  );
}

/** Makes changes of a user's identities wait for each other until the transaction ends. */
export async function lockUser(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
}

/** Returns the identities of a user. Locks the user's row, so that no two identities are removed at once. */
export async function lockIdentitiesOf(transaction: Transaction, userId: string): Promise<IdentityName[]> {
  await lockUser(transaction, userId);
  return allRows<IdentityName>(transaction, 'SELECT issuer, subject FROM identities WHERE user_id = $1', [
    userId,
  ]);
}

/** Deletes an identity. The foreign key deletes its sessions. */
export async function deleteIdentity(queryable: Queryable, { issuer, subject }: IdentityName): Promise<void> {
  // The statement may wait: it deletes sessions, and a publication locks the session of its caller.
  await queryable.query(
    slowStatement('DELETE FROM identities WHERE issuer = $1 AND subject = $2', [issuer, subject]),
  );
}
