/** Makes page hosts of a domain due for a check: all of them when the account asks, and the unwell ones when a sitemap is gone. */
import { type Database, inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';

const APART_SECONDS = 60;

/**
 * Returns how many page hosts are due now. Throws Refusal RATE_LIMIT_EXCEEDED if the last call for this domain was less than a minute ago.
 */
export async function askForCheck(database: Database, domainId: string): Promise<number> {
  return inTransaction(database, async (transaction) => {
    const { rowCount } = await transaction.query(
      // A time in the future comes from a clock that was ahead.
      `UPDATE domains SET page_hosts_asked_at = now()
        WHERE id = $1
          AND coalesce(page_hosts_asked_at NOT BETWEEN now() - $2 * interval '1 second' AND now(), true)`,
      [domainId, APART_SECONDS],
    );
    if (rowCount === 0) {
      const message = `These page hosts were asked less than ${APART_SECONDS} seconds ago. Ask again in a minute.`;
      throw new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: APART_SECONDS });
    }
    const due = await transaction.query(
      `UPDATE page_hosts p SET due_at = now() WHERE domain_id = $1 AND EXISTS
         (SELECT FROM page_url_counts c WHERE c.domain_id = $1 AND c.origin = p.origin)`,
      [domainId],
    );
    return due.rowCount ?? 0;
  });
}

/**
 * Makes those page hosts due that have a fault, because a sitemap of the domain is deleted. It may have been the only one with pages of the
 * host, or the one that `robots.txt` does not name. The transaction has locked the domain.
 */
export async function checkUnwell(transaction: Transaction, domainId: string): Promise<void> {
  await transaction.query(
    `UPDATE page_hosts SET due_at = least(due_at, now()) WHERE domain_id = $1 AND state <> 'found'`,
    [domainId],
  );
}
