/** The SQL of sign-outs that a provider reports (OpenID Connect Back-Channel Logout 1.0, section 2.7). */
import { type Database, inTransaction } from '../../platform/postgres/database.ts';
import { endSessions } from './session-store.ts';

export interface ProviderLogout {
  readonly issuer: string;
  /** The id of the logout token. Each token works once. */
  readonly jti: string;
  /** The time at which the logout token expires. */
  readonly expiresAt: Date;
  /** The provider's session that ended; null: all sessions of the subject. `sid`, `subject` or both are given. */
  readonly sid: string | null;
  readonly subject: string | null;
}

/** Ends the sessions that a logout token names. Returns false when the token was used before. */
export function endSessionsOfProvider(database: Database, logout: ProviderLogout): Promise<boolean> {
  const { issuer, jti, expiresAt, sid, subject } = logout;
  return inTransaction(database, async (transaction) => {
    const { rowCount } = await transaction.query(
      'INSERT INTO used_logout_tokens (issuer, jti, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [issuer, jti, expiresAt],
    );
    if (rowCount === 0) return false;
    // A session without a sid ends with any session of its subject at the provider, because it may belong to that session.
    await endSessions(
      transaction,
      `s.issuer = $1 AND ($3::text IS NULL OR s.subject = $3)
         AND ($2::text IS NULL OR s.sid = $2 OR (s.sid IS NULL AND $3::text IS NOT NULL))`,
      [issuer, sid, subject],
    );
    return true;
  });
}
