/** The SQL of sign-outs that a provider tells us of (OpenID Connect Back-Channel Logout 1.0, section 2.7). */
import { type Database, inTransaction, slowStatement } from '../platform/postgres/database.ts';

export interface ProviderLogout {
  readonly issuer: string;
  /** Of the logout token. Each works once. */
  readonly jti: string;
  /** When the token is of no use any more. */
  readonly expiresAt: Date;
  /** One session of the provider, or all sessions of the subject. At least one of both is there. */
  readonly sid: string | null;
  readonly subject: string | null;
}

/** Returns false when the token was used before. */
export function endSessionsOfProvider(database: Database, logout: ProviderLogout): Promise<boolean> {
  const { issuer, jti, expiresAt, sid, subject } = logout;
  return inTransaction(database, async (transaction) => {
    const { rowCount } = await transaction.query(
      'INSERT INTO used_logout_tokens (issuer, jti, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [issuer, jti, expiresAt],
    );
    if (rowCount === 0) return false;
    // A session without a sid ends with every session of its subject: nobody can tell which one it is.
    await transaction.query(
      slowStatement(
        `DELETE FROM sessions
          WHERE issuer = $1 AND ($3::text IS NULL OR subject = $3)
            AND ($2::text IS NULL OR sid = $2 OR (sid IS NULL AND $3::text IS NOT NULL))`,
        [issuer, sid, subject],
      ),
    );
    return true;
  });
}
