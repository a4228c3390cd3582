/** Sums the usage of an account, for a comparison with the limits of its plan. */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { FIRST_PART_SLOT } from '../accounts/upload-slots.ts';
import { sumAccountCounts } from '../domains/domain-counts-store.ts';

export interface AccountUsage {
  readonly domains: number;
  readonly sitemaps: number;
  /** The URLs of all live uploads. */
  readonly urls: number;
  /** The compressed bytes of live files. */
  readonly storedBytes: number;
  readonly keys: number;
  readonly uploadsUnderWay: number;
}

export async function sumUsage(queryable: Queryable, accountId: string): Promise<AccountUsage> {
  const { sitemaps, urls } = await sumAccountCounts(queryable, accountId);
  const { rows } = await queryable.query<Omit<AccountUsage, 'sitemaps' | 'urls'>>(
    slowStatement(
      `SELECT d.domains, d."storedBytes",
              (SELECT count(*) FROM api_keys
                WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())) AS keys,
              (SELECT count(*) FROM upload_slots
                WHERE account_id = $1 AND n < ${FIRST_PART_SLOT} AND expires_at > now()) AS "uploadsUnderWay"
         FROM (SELECT count(*) AS domains, coalesce(sum(stored_bytes), 0)::bigint AS "storedBytes"
                 FROM domains WHERE account_id = $1) AS d`,
      [accountId],
    ),
  );
  return { ...rows[0]!, sitemaps, urls };
}
