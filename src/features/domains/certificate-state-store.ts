/** The SQL that changes the state of a domain (domain.ts) when its certificate changes. */
import { slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { refuseHeld } from './domain-store.ts';

/**
 * SQL: whether the DNS records of a failed domain are checked again once it is served. A domain that was verified by force is not checked:
 * it has no check after its verification, and its last check, if any, found a problem.
 */
const IS_CHECKED = `(checked_at > verified_at OR checked_at IS NOT NULL AND dns_problem IS NULL)`;

/**
 * Marks a domain with a valid certificate as active. A domain that failed for lack of a certificate is served again. Throws Refusal
 * CONFLICT when another account holds the hostname by now.
 */
export async function markActive(transaction: Transaction, id: string): Promise<void> {
  const updated = transaction.query(
    slowStatement(
      `UPDATE domains SET status = 'active', ssl_status = 'active', failure = NULL,
              check_at = CASE WHEN status = 'failed' AND ${IS_CHECKED} THEN now() ELSE check_at END
        WHERE id = $1 AND status <> 'pending_verification'`,
      [id],
    ),
  );
  await updated.catch(refuseHeld);
}

/** Marks an active domain as verified only. It is served over plain HTTP until it has a new certificate. */
export async function markCertificateExpired(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(
    `UPDATE domains SET status = 'verified', ssl_status = 'provisioning' WHERE id = $1 AND status = 'active'`,
    [id],
  );
}

/** Marks the domain as failed for lack of a certificate. `failure`: a text for people. Returns whether the domain was served until now. */
export async function markCertificateFailed(
  transaction: Transaction,
  id: string,
  failure: string,
): Promise<boolean> {
  const { rows } = await transaction.query<{ wasServed: boolean }>(
    slowStatement(
      `UPDATE domains d SET status = 'failed', ssl_status = 'failed', failure = $2, check_at = NULL
         FROM (SELECT id, status FROM domains WHERE id = $1 FOR NO KEY UPDATE) AS former
        WHERE d.id = former.id AND former.status IN ('verified', 'failed')
    RETURNING former.status = 'verified' AS "wasServed"`,
      [id, failure],
    ),
  );
  return rows[0]?.wasServed ?? false;
}
