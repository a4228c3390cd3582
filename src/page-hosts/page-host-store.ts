/**
 * The SQL of page hosts: which are due, what was found, and their list. All times come from the clock of the database. Whoever
 * changes several page hosts of a domain locks the domain first, because their rows could be locked in any order.
 */
import { lockDomain } from '../domains/domain-store.ts';
import {
  type Database,
  inTransaction,
  type Queryable,
  slowStatement,
} from '../platform/postgres/database.ts';
import { MAX_PAGE_HOSTS, type PageHost, type PageHostState } from './page-host.ts';

export interface DuePageHost {
  readonly domainId: string;
  readonly accountId: string;
  readonly origin: string;
  readonly hostname: string;
  /** Whether its site has a certificate. */
  readonly isSecure: boolean;
  readonly isSuspended: boolean;
  readonly state: PageHostState;
  /** How long it has had this state. */
  readonly stateForMs: number;
  /** How long ago somebody asked for a check. Null: never. */
  readonly askedAgoMs: number | null;
}

/** Longer than a check. If its process dies, it is due again after this time. */
const CLAIM_SECONDS = 60;
/** Twice the page hosts of the largest account of the plan `business`. */
const MAX_OLDEST = 10_000;

export interface TakeLimits {
  readonly limit: number;
  readonly perAccount: number;
  /** They have enough under way. */
  readonly busyAccounts: readonly string[];
}

/**
 * Accounts take turns, so a flood of one delays no other. Processes that take at the same time get different page hosts.
 */
export async function takeDuePageHosts(
  queryable: Queryable,
  { limit, perAccount, busyAccounts }: TakeLimits,
): Promise<DuePageHost[]> {
  const { rows } = await queryable.query<DuePageHost>(
    // Materialized: a plan that runs it twice takes more than the limit.
    `WITH oldest AS (
       SELECT domain_id, origin, account_id, due_at FROM page_hosts
        WHERE due_at <= now() AND account_id <> ALL($2) ORDER BY due_at LIMIT ${MAX_OLDEST}
     ), turns AS (
       SELECT domain_id, origin, due_at, row_number() OVER (PARTITION BY account_id ORDER BY due_at) AS turn FROM oldest
     ), due AS MATERIALIZED (
       SELECT p.domain_id, p.origin FROM turns t JOIN page_hosts p USING (domain_id, origin)
        WHERE t.turn <= $3 AND p.due_at <= now() ORDER BY t.turn, t.due_at LIMIT $1
          FOR NO KEY UPDATE OF p SKIP LOCKED
     )
     UPDATE page_hosts p SET due_at = now() + $4 * interval '1 second'
       FROM due JOIN domains d ON d.id = due.domain_id JOIN accounts a ON a.id = d.account_id
      WHERE p.domain_id = due.domain_id AND p.origin = due.origin
  RETURNING p.domain_id AS "domainId", p.account_id AS "accountId", p.origin, d.hostname,
            d.ssl_status = 'active' AS "isSecure", a.suspended_at IS NOT NULL AS "isSuspended", p.state,
            ${ageMs('p.state_since')} AS "stateForMs", ${ageMs('d.page_hosts_asked_at')} AS "askedAgoMs"`,
    [limit, busyAccounts, perAccount, CLAIM_SECONDS],
  );
  return rows;
}

const ageMs = (column: string) => `(extract(epoch FROM now() - ${column}) * 1000)::float8`;

type PageHostKey = Pick<DuePageHost, 'domainId' | 'origin'>;

/** The sitemaps of the domain with pages of this host. */
export async function listSitemapsWith(
  queryable: Queryable,
  { domainId, origin }: PageHostKey,
): Promise<string[]> {
  const { rows } = await queryable.query<{ name: string }>(
    `SELECT sitemap_name AS name FROM page_url_counts WHERE domain_id = $1 AND origin = $2
      ORDER BY url_count DESC, sitemap_name`,
    [domainId, origin],
  );
  return rows.map(({ name }) => name);
}

export async function postponeCheck(
  queryable: Queryable,
  { domainId, origin }: PageHostKey,
  waitMs: number,
): Promise<void> {
  await queryable.query(
    `UPDATE page_hosts SET due_at = now() + $3 * interval '1 millisecond' WHERE domain_id = $1 AND origin = $2`,
    [domainId, origin, waitMs],
  );
}

export interface CheckResult {
  readonly state: PageHostState;
  readonly message: string;
  /** How long ago robots.txt was asked for. */
  readonly ageMs: number;
  readonly nextInMs: number;
}

/** A line that is missing becomes a warning that is due, once until it was found again. */
export async function recordCheck(
  queryable: Queryable,
  { domainId, origin }: PageHostKey,
  { state, message, ageMs: age, nextInMs }: CheckResult,
): Promise<void> {
  const { rows } = await queryable.query<{ isWarningDue: boolean }>(
    `UPDATE page_hosts
        SET state = $3, message = $4, checked_at = now() - $5 * interval '1 millisecond',
            state_since = CASE WHEN state = $3 THEN state_since ELSE now() END,
            due_at = now() + $6 * interval '1 millisecond',
            warning = CASE WHEN $3 IN ('found', 'disallowed') THEN 'none'
                           WHEN $3 IN ('missing', 'partly') AND warning = 'none' THEN 'due' ELSE warning END
      WHERE domain_id = $1 AND origin = $2 RETURNING warning = 'due' AS "isWarningDue"`,
    [domainId, origin, state, message, age, nextInMs],
  );
  if (!rows[0]?.isWarningDue) return;
  // A statement of its own, and always: it waits for an upload that is just clearing the mark. If the process dies
  // before it, the next check finds the warning still due.
  await queryable.query(slowStatement('UPDATE domains SET has_warnings = true WHERE id = $1', [domainId]));
}

/** Unless a sitemap with pages of this host has come meanwhile. */
export async function deleteIfUncounted(
  database: Database,
  { domainId, origin }: PageHostKey,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await lockDomain(transaction, domainId);
    await transaction.query(
      `DELETE FROM page_hosts WHERE domain_id = $1 AND origin = $2 AND NOT EXISTS
         (SELECT FROM page_url_counts WHERE domain_id = $1 AND origin = $2)`,
      [domainId, origin],
    );
  });
}

/** Those with the most URLs first. */
export async function listPageHosts(queryable: Queryable, domainId: string): Promise<PageHost[]> {
  const { rows } = await queryable.query<PageHost>(
    `SELECT p.origin, sum(c.url_count)::bigint AS "urlCount", p.state, p.message, p.checked_at AS "checkedAt",
            p.due_at AS "nextCheckAt"
       FROM page_hosts p JOIN page_url_counts c USING (domain_id, origin)
      WHERE domain_id = $1 GROUP BY p.domain_id, p.origin
      ORDER BY sum(c.url_count) DESC, p.origin LIMIT ${MAX_PAGE_HOSTS}`,
    [domainId],
  );
  return rows;
}

export async function countPageHosts(queryable: Queryable): Promise<Partial<Record<PageHostState, number>>> {
  const { rows } = await queryable.query<{ state: PageHostState; count: number }>(
    slowStatement('SELECT state, count(*) AS count FROM page_hosts GROUP BY state', []),
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}
