/** The SQL that looks for hostnames before they are registered. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { IS_SERVED } from './served-domain-store.ts';

/**
 * Returns whether this account has each hostname (`yours`) or another account holds it (`taken`). All other hostnames are absent from the
 * result.
 */
export async function listHolders(
  queryable: Queryable,
  accountId: string,
  hostnames: readonly string[],
): Promise<ReadonlyMap<string, 'yours' | 'taken'>> {
  const { rows } = await queryable.query<{ hostname: string; isYours: boolean }>(
    `SELECT hostname, bool_or(account_id = $1) AS "isYours" FROM domains
      WHERE hostname = ANY($2) AND (account_id = $1 OR ${IS_SERVED}) GROUP BY hostname`,
    [accountId, hostnames],
  );
  return new Map(rows.map(({ hostname, isYours }) => [hostname, isYours ? 'yours' : 'taken']));
}
