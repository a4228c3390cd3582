/** The SQL of the overview: what an account has, and which of its domains want something. */
import { canonicalHostname } from '../../platform/dns/dns-name.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { Domain } from './domain.ts';
import { sumAccountCounts } from './domain-counts-store.ts';

export async function readOverview(queryable: Queryable, accountId: string) {
  const { urls, files } = await sumAccountCounts(queryable, accountId);
  const { rows } = await queryable.query<{ domainCount: number; domainsToFinish: number }>(
    `SELECT count(*) AS "domainCount", count(*) FILTER (WHERE status <> 'active') AS "domainsToFinish"
       FROM domains WHERE account_id = $1`,
    [accountId],
  );
  return { ...rows[0]!, urlCount: urls, fileCount: files };
}

export interface OverviewDomain extends Pick<Domain, 'id' | 'hostname' | 'status' | 'sslStatus'> {
  readonly urlCount: number;
  readonly fileCount: number;
  readonly lastUpdated: Date | null;
  /** What is wrong, with the cure; null if nothing is. */
  readonly wanted: string | null;
  /** As `listForOverview` takes it. */
  readonly place: string;
}

/**
 * What is wrong, for people. A lookup without an answer is no fault of a served domain, and its certificate
 * may be under way: only wrong answers and attempts that failed count.
 */
const WANTED = `
  CASE d.status
    WHEN 'failed' THEN coalesce(d.failure, d.dns_problem, c.last_error)
    WHEN 'pending_verification' THEN coalesce(d.dns_problem,
      CASE WHEN d.hostname LIKE '%.localhost' THEN 'Verify the domain. A name below localhost needs no DNS record.'
           WHEN d.checked_at IS NULL THEN 'Point a CNAME record for ' || d.hostname || ' at ' || d.cname_target || '.'
           ELSE 'The DNS records are right. Verify the domain again.' END)
    ELSE coalesce(CASE WHEN d.wrong_checks > 0 THEN d.dns_problem END, CASE WHEN c.failures > 0 THEN c.last_error END)
  END`;

/**
 * Those that want something first, then the newest: the first `limit` after a place, whose hostname contains
 * the text.
 */
export async function listForOverview(
  queryable: Queryable,
  accountId: string,
  search: string,
  limit: number,
  after: string | undefined,
): Promise<OverviewDomain[]> {
  const [wants, position] = after?.split(' ').map(Number) ?? [];
  const { rows } = await queryable.query<OverviewDomain>(
    `SELECT w.id, w.hostname, w.status, w.ssl_status AS "sslStatus", coalesce(s.urls, 0)::bigint AS "urlCount",
            coalesce(s.files, 0)::bigint AS "fileCount", s.last_updated AS "lastUpdated", w.wanted,
            w.wants || ' ' || w.position AS place
       FROM (SELECT * FROM (SELECT d.id, d.hostname, d.status, d.ssl_status, d.position, ${WANTED} AS wanted,
                                   ((${WANTED}) IS NOT NULL)::integer AS wants
                              FROM domains d LEFT JOIN certificates c ON c.domain_id = d.id
                             WHERE d.account_id = $1
                               AND EXISTS (SELECT FROM unnest($2::text[]) AS t (text) WHERE strpos(d.hostname, t.text) > 0)
                           ) AS found
              WHERE $4::integer IS NULL OR (wants, position) < ($4, $5::bigint)
              ORDER BY wants DESC, position DESC LIMIT $3) AS w
            LEFT JOIN LATERAL (
              SELECT sum(u.url_count) AS urls, sum(u.file_count) AS files, max(m.updated_at) AS last_updated
                FROM sitemaps m JOIN uploads u ON u.id = m.upload_id WHERE m.domain_id = w.id
            ) AS s ON true
      ORDER BY w.wants DESC, w.position DESC`,
    [accountId, textsOf(search), limit, wants ?? null, position ?? null],
  );
  return rows;
}

/** Hostnames are in lower case and A-labels. People may write them otherwise. */
function textsOf(search: string): string[] {
  return [search.toLowerCase(), canonicalHostname(search)].filter((text) => text !== undefined);
}
