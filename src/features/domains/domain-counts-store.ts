/**
 * The SQL of sums over the live uploads of each domain. The row of the domain has the sums, with the generation for which they are true. So
 * an upload into one of thousands of sitemaps does not add up all sitemaps.
 */
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { allRows, onlyRow } from '../../platform/postgres/rows.ts';

/** Sums over live uploads. */
export interface DomainCounts {
  readonly sitemaps: number;
  readonly urls: number;
  readonly files: number;
  readonly gzipBytes: number;
}

/**
 * SQL: a new generation of a site: the microseconds of the epoch. A sequence does not serve: after a restore or a failover of the database,
 * it gives numbers out again, and a stored site with such a number counts as written.
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

/**
 * Finds the stored bytes of each account, which triggers of `domains` count. The first call for an account adds up its domains: this takes
 * 0.1 s for 100,000 of them.
 */
export async function findStoredBytes(
  queryable: Queryable,
  accountIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await queryable.query<AccountBytes>({
    name: 'find-stored-bytes',
    text: 'SELECT account_id AS "accountId", bytes FROM account_bytes WHERE account_id = ANY($1) AND is_whole',
    values: [accountIds],
  });
  const bytes = new Map(rows.map((row) => [row.accountId, row.bytes]));
  const others = accountIds.filter((id) => !bytes.has(id));
  if (others.length === 0) return bytes;
  for (const row of await countStoredBytes(queryable, others)) bytes.set(row.accountId, row.bytes);
  return bytes;
}

interface AccountBytes {
  readonly accountId: string;
  readonly bytes: number;
}

/**
 * Makes the rows of these accounts whole. Such a row lacks the sum over the domains, less the bytes that it has already. Both are read in
 * one snapshot, so changes that commit later are added to the result.
 */
function countStoredBytes(queryable: Queryable, accountIds: readonly string[]) {
  return allRows<AccountBytes>(queryable, {
    name: 'count-stored-bytes',
    text: `WITH lacking AS (
             SELECT g.id, coalesce((SELECT sum(d.stored_bytes) FROM domains d WHERE d.account_id = g.id), 0)
                            - coalesce((SELECT b.bytes FROM account_bytes b WHERE b.account_id = g.id), 0) AS bytes
               FROM unnest($1::text[]) AS g (id)
           )
           INSERT INTO account_bytes AS a (account_id, bytes, is_whole) SELECT id, bytes, true FROM lacking ORDER BY id
               ON CONFLICT (account_id) DO UPDATE SET is_whole = true,
                  bytes = a.bytes + CASE WHEN a.is_whole THEN 0 ELSE excluded.bytes END
           RETURNING account_id AS "accountId", bytes`,
    values: [accountIds],
  });
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
export function sumAccountCounts(
  queryable: Queryable,
  accountId: string,
): Promise<Pick<DomainCounts, 'sitemaps' | 'urls' | 'files'>> {
  return onlyRow<DomainCounts>(
    queryable,
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
}
