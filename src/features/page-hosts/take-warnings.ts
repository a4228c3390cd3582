/**
 * Finds the warnings about page hosts for the answer to an upload. A host whose robots.txt lacks the line is named once until the line is
 * found again.
 */
import type { Transaction } from '../../platform/postgres/database.ts';

const MAX_WARNINGS = 5;

/**
 * Returns the first MAX_WARNINGS warnings, and a line that counts the others. All of them are marked as given. The transaction publishes
 * the upload and must have locked the domain.
 */
export async function takeWarnings(transaction: Transaction, domainId: string): Promise<string[]> {
  await transaction.query('UPDATE domains SET has_warnings = false WHERE id = $1', [domainId]);
  const { rows } = await transaction.query<{ message: string }>(
    `WITH due AS (
       UPDATE page_hosts SET warning = 'given' WHERE domain_id = $1 AND warning = 'due' RETURNING origin, message
     )
     SELECT due.message FROM due JOIN page_url_counts c ON c.domain_id = $1 AND c.origin = due.origin
      GROUP BY due.origin, due.message ORDER BY sum(c.url_count) DESC, due.origin`,
    [domainId],
  );
  const warnings = rows.slice(0, MAX_WARNINGS).map(({ message }) => message);
  const left = rows.length - warnings.length;
  if (left > 0) warnings.push(`And ${left} more: see GET /api/domains/${domainId}/page-hosts.`);
  return warnings;
}
