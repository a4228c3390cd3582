/** The SQL of the first page of the dashboard. It reads only the rows of one account. */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { onlyRow } from '../../platform/postgres/rows.ts';
import { sumAccountCounts } from '../domains/domain-counts-store.ts';
import { findHostedUrls } from '../usage/hosted-store.ts';
import { FOUND_CAUSES } from './causes.ts';

export interface OverviewFacts {
  readonly urlCount: number;
  readonly fileCount: number;
  /** `urlCount` at the end of the day seven days ago. Null: the account had no domain then, or its URLs were not recorded. */
  readonly urlsAWeekAgo: number | null;
  readonly domainCount: number;
  /** The number of domains with a need. */
  readonly needsYouCount: number;
  /** The number of active domains without a need. */
  readonly liveCount: number;
  /** The last publication that is recorded. */
  readonly lastUpload: LastUpload | null;
  readonly lastCrawl: LastCrawl | null;
}

interface LastCrawl {
  /** The last day of crawls in UTC, as in 2026-01-15. */
  readonly day: string;
  /** The crawler of the last visit. If no visit was found, the crawler with the most requests of that day. */
  readonly crawler: string;
  /** The time of the last visit. Null: the account has more than FEW_FILES files, or no visit is recorded. */
  readonly at: Date | null;
  readonly file: string | null;
}

export interface LastUpload {
  readonly at: Date;
  readonly hostname: string;
  readonly sitemapName: string;
  /** The name of the key or person. Null: the key or person is deleted. */
  readonly by: string | null;
}

export async function readOverview(queryable: Queryable, accountId: string): Promise<OverviewFacts> {
  // Run the statements one after the other, so that a page takes one connection.
  const { urls, files } = await sumAccountCounts(queryable, accountId);
  const counts = await countDomains(queryable, accountId);
  const lastUpload = await findLastUpload(queryable, accountId);
  const lastCrawl =
    (files <= FEW_FILES ? await findLastVisit(queryable, accountId) : null) ??
    (await findLastCrawlDay(queryable, accountId));
  const urlsAWeekAgo = await findHostedUrls(queryable, accountId, 7);
  return { ...counts, urlCount: urls, urlsAWeekAgo, fileCount: files, lastUpload, lastCrawl };
}

type DomainFacts = Pick<OverviewFacts, 'domainCount' | 'needsYouCount' | 'liveCount'>;

function countDomains(queryable: Queryable, accountId: string) {
  return onlyRow<DomainFacts>(
    queryable,
    slowStatement(
      `WITH needy AS MATERIALIZED (SELECT DISTINCT domain_id FROM (${FOUND_CAUSES}) AS n)
       SELECT count(*) AS "domainCount", count(needy.domain_id) AS "needsYouCount",
              count(*) FILTER (WHERE d.status = 'active' AND needy.domain_id IS NULL) AS "liveCount"
         FROM domains d LEFT JOIN needy ON needy.domain_id = d.id WHERE d.account_id = $1`,
      [accountId],
    ),
  );
}

async function findLastUpload(queryable: Queryable, accountId: string): Promise<LastUpload | null> {
  const { rows } = await queryable.query<LastUpload>(
    slowStatement(
      `SELECT last.ended_at AS at, last.hostname, last.sitemap_name AS "sitemapName", coalesce(k.name, p.name) AS by
         FROM (SELECT d.hostname, a.* FROM domains d CROSS JOIN LATERAL (
                 SELECT ended_at, sitemap_name, key_id, user_id, position FROM attempts
                  WHERE domain_id = d.id AND outcome = 'published' ORDER BY position DESC LIMIT 1) AS a
                WHERE d.account_id = $1 ORDER BY a.position DESC LIMIT 1) AS last
              LEFT JOIN api_keys k ON k.id = last.key_id LEFT JOIN users p ON p.id = last.user_id`,
      [accountId],
    ),
  );
  return rows[0] ?? null;
}

/** Visits are kept by file. In an account with more files than this, only the day of the last visit is read. */
const FEW_FILES = 2000;

async function findLastVisit(queryable: Queryable, accountId: string): Promise<LastCrawl | null> {
  const { rows } = await queryable.query<LastCrawl>(
    slowStatement(
      `SELECT to_char(v.last_day, 'YYYY-MM-DD') AS day, v.crawler, v.last_at AS at, v.file
         FROM domains d CROSS JOIN LATERAL (
                SELECT last_day, crawler, last_at, file FROM file_visits
                 WHERE domain_id = d.id ORDER BY last_at DESC LIMIT 1) AS v
        WHERE d.account_id = $1 ORDER BY v.last_at DESC LIMIT 1`,
      [accountId],
    ),
  );
  return rows[0] ?? null;
}

async function findLastCrawlDay(queryable: Queryable, accountId: string): Promise<LastCrawl | null> {
  const { rows } = await queryable.query<LastCrawl>(
    slowStatement(
      `WITH last AS MATERIALIZED (
         SELECT d.id, c.day FROM domains d CROSS JOIN LATERAL (
           SELECT day FROM crawls WHERE domain_id = d.id ORDER BY day DESC LIMIT 1) AS c
          WHERE d.account_id = $1
       )
       SELECT to_char(c.day, 'YYYY-MM-DD') AS day, c.crawler, NULL AS at, NULL AS file
         FROM last JOIN crawls c ON c.domain_id = last.id AND c.day = last.day
        WHERE last.day = (SELECT max(day) FROM last)
        GROUP BY c.day, c.crawler ORDER BY sum(c.requests) DESC, c.crawler LIMIT 1`,
      [accountId],
    ),
  );
  return rows[0] ?? null;
}
