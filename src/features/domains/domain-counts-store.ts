/**
 * The SQL of sums over the live uploads of each domain. The row of the domain has the sums, with the generation for which they are true. So
 * an upload into one of thousands of sitemaps does not add up all sitemaps.
 */
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';

/** Sums over live uploads. */
export interface DomainCounts {
  readonly sitemaps: number;
  readonly urls: number;
  readonly files: number;
  readonly gzipBytes: number;
}

/**
 * SQL: a new generation of a site: the microseconds of the epoch. After a restore or a failover of the database, a sequence gives numbers out
 * again. The stored site may have such a number, and would count as written.
 */
export const NEW_GENERATION = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';

/** The SQL condition that the sums in a row `d` of `domains` are true. */
export const IS_COUNTED = `d.counted_generation = d.generation`;

/** Sums of a row `d` of `domains`, for a LATERAL join. If the sums in the row are outdated, they are computed now. */
export const COUNTS = `(
  SELECT d.sitemap_count AS sitemaps, d.url_count AS urls, d.file_count AS files, d.stored_bytes AS bytes WHERE ${IS_COUNTED}
  UNION ALL
  SELECT summed.* FROM (
           SELECT count(*) AS sitemaps, coalesce(sum(u.url_count), 0)::bigint AS urls,
                  coalesce(sum(u.file_count), 0)::bigint AS files, coalesce(sum(u.gzip_bytes), 0)::bigint AS bytes
             FROM sitemaps s JOIN uploads u ON u.id = s.upload_id WHERE s.domain_id = d.id) AS summed
   WHERE (${IS_COUNTED}) IS NOT TRUE)`;

/** The keys of the map are the ids of the domains. */
export async function findDomainCounts(
  queryable: Queryable,
  domainIds: readonly string[],
): Promise<Map<string, DomainCounts>> {
  const { rows } = await queryable.query<DomainCounts & { id: string }>({
    name: 'find-domain-counts',
    text: `SELECT d.id, c.sitemaps, c.urls, c.files, c.bytes AS "gzipBytes"
             FROM domains d CROSS JOIN LATERAL ${COUNTS} AS c WHERE d.id = ANY($1)`,
    values: [domainIds],
  });
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/** Sums the stored bytes of each account over its domains. Accounts without domains are left out. */
export async function sumStoredBytes(
  queryable: Queryable,
  accountIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await queryable.query<{ accountId: string; bytes: number }>({
    name: 'sum-stored-bytes',
    text: `SELECT account_id AS "accountId", sum(stored_bytes)::bigint AS bytes
             FROM domains WHERE account_id = ANY($1) GROUP BY account_id`,
    values: [accountIds],
  });
  return new Map(rows.map(({ accountId, bytes }) => [accountId, bytes]));
}

const TODAY = `(now() AT TIME ZONE 'UTC')::date`;
/** The SQL condition that the count of URLs changes for the first time today. */
const IS_NEW_DAY = `url_count <> counted.urls AND past_days[cardinality(past_days)] IS DISTINCT FROM ${TODAY}`;
/** The index in `past_days` of the first day to keep. The last seven days are kept and a new day is added, so there are at most eight. */
const FIRST_RECENT = `greatest(1, cardinality(past_days) - 6)`;
const RECENT_DAYS = `past_days[${FIRST_RECENT}:]`;

/** The URLs of a domain `d` seven days ago; null if nothing changed since. */
export const URLS_A_WEEK_AGO = `(
  SELECT past.urls FROM unnest(d.past_days, d.past_urls) AS past (day, urls) WHERE past.day > ${TODAY} - 7 ORDER BY past.day LIMIT 1)`;

/**
 * Gives new generations and sums to domains whose uploads have changed. One UPDATE does both, so Postgres writes one version of each row in
 * place of two.
 */
export async function raiseGenerationsWithCounts(
  transaction: Transaction,
  domains: readonly { readonly id: string; readonly counts: DomainCounts }[],
): Promise<void> {
  if (domains.length === 0) return;
  const column = (value: (counts: DomainCounts) => number) => domains.map(({ counts }) => value(counts));
  await transaction.query({
    name: 'raise-generations-with-counts',
    text: `UPDATE domains
              SET generation = counted.generation, counted_generation = counted.generation, sitemap_count = counted.sitemaps,
                  url_count = counted.urls, file_count = counted.files, stored_bytes = counted.bytes,
                  shrunk_at = CASE WHEN file_count > counted.files THEN now() ELSE shrunk_at END,
                  past_days = CASE WHEN ${IS_NEW_DAY} THEN ${RECENT_DAYS} || ${TODAY} ELSE past_days END,
                  past_urls = CASE WHEN ${IS_NEW_DAY} THEN past_urls[${FIRST_RECENT}:] || url_count ELSE past_urls END
             FROM (SELECT *, ${NEW_GENERATION} AS generation
                     FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                            AS counted (id, sitemaps, urls, files, bytes)) AS counted
            WHERE domains.id = counted.id`,
    values: [
      domains.map(({ id }) => id),
      column(({ sitemaps }) => sitemaps),
      column(({ urls }) => urls),
      column(({ files }) => files),
      column(({ gzipBytes }) => gzipBytes),
    ],
  });
}

/** Sums the URLs, files and sitemaps of all domains of an account. */
export async function sumAccountCounts(
  queryable: Queryable,
  accountId: string,
): Promise<Pick<DomainCounts, 'sitemaps' | 'urls' | 'files'>> {
  const { rows } = await queryable.query<DomainCounts>(
    slowStatement(
      // Add up the sums in the rows. Each domain with outdated sums needs a lookup of its own.
      `SELECT coalesce(sum(sitemaps), 0)::bigint AS sitemaps, coalesce(sum(urls), 0)::bigint AS urls, coalesce(sum(files), 0)::bigint AS files
         FROM (SELECT sum(d.sitemap_count) AS sitemaps, sum(d.url_count) AS urls, sum(d.file_count) AS files
                 FROM domains d WHERE d.account_id = $1 AND ${IS_COUNTED}
               UNION ALL
               SELECT c.sitemaps, c.urls, c.files FROM domains d CROSS JOIN LATERAL ${COUNTS} AS c
                WHERE d.account_id = $1 AND (${IS_COUNTED}) IS NOT TRUE) AS all_domains`,
      [accountId],
    ),
  );
  return rows[0]!;
}
