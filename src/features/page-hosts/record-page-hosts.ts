/** Records the hosts of the pages of an upload. Only the hosts with the most URLs in the domain are checked. */
import { slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { MAX_PAGE_HOSTS } from './page-host.ts';

export interface CountedUpload {
  readonly accountId: string;
  readonly domainId: string;
  /** The name of the sitemap; empty for the unnamed one. */
  readonly sitemapName: string;
  /** The origins (scheme, host and port) with the most URLs in the upload. */
  readonly origins: readonly { readonly origin: string; readonly urlCount: number }[];
}

/**
 * Records the counts of a sitemap. The transaction must have locked the domain, and then found the row of the sitemap. A host that is new
 * to the sitemap is due at once. The deletion of a sitemap deletes its counts (ON DELETE CASCADE).
 */
export async function recordPageHosts(transaction: Transaction, upload: CountedUpload): Promise<void> {
  const { accountId, domainId, sitemapName } = upload;
  const counts = [...countsOf(upload)].sort(([, a], [, b]) => b - a).slice(0, MAX_PAGE_HOSTS);
  const origins = counts.map(([origin]) => origin);
  await lockDomain(transaction, domainId);
  await transaction.query(
    'DELETE FROM page_url_counts WHERE domain_id = $1 AND sitemap_name = $2 AND origin <> ALL($3)',
    [domainId, sitemapName, origins],
  );
  const { rows } = await transaction.query<{ origin: string; isNew: boolean }>(
    // A row that no transaction has updated or locked has xmax 0, so it was just inserted.
    `INSERT INTO page_url_counts AS c (domain_id, sitemap_name, origin, url_count)
     SELECT $1, $2, given.* FROM unnest($3::text[], $4::bigint[]) AS given
         ON CONFLICT (domain_id, sitemap_name, origin) DO UPDATE SET url_count = excluded.url_count
     RETURNING origin, c.xmax = 0 AS "isNew"`,
    [domainId, sitemapName, origins, counts.map(([, urlCount]) => urlCount)],
  );
  const added = rows.filter(({ isNew }) => isNew).map(({ origin }) => origin);
  await transaction.query(
    slowStatement(
      `WITH largest AS MATERIALIZED (
         SELECT origin FROM page_url_counts WHERE domain_id = $1
          GROUP BY origin ORDER BY sum(url_count) DESC, origin LIMIT ${MAX_PAGE_HOSTS}
       ), gone AS (
         DELETE FROM page_hosts WHERE domain_id = $1 AND origin NOT IN (SELECT origin FROM largest)
       )
       INSERT INTO page_hosts AS p (domain_id, origin, account_id) SELECT $1, origin, $2 FROM largest
           ON CONFLICT (domain_id, origin) DO UPDATE SET due_at = least(p.due_at, now()) WHERE p.origin = ANY($3)`,
      [domainId, accountId, added],
    ),
  );
}

/** Counts URLs by origin, in its canonical spelling. */
function countsOf({ origins }: CountedUpload): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { origin, urlCount } of origins) {
    const url = URL.parse(origin);
    if (url === null) continue;
    counts.set(url.origin, (counts.get(url.origin) ?? 0) + urlCount);
  }
  return counts;
}
