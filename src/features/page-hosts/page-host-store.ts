/**
 * The SQL that takes due page hosts, records the results of their checks, and lists and counts page hosts. All times come from the clock of
 * the database. A statement that changes several page hosts of a domain locks the domain first, because it may lock their rows in any
 * order.
 */
import { ageMs } from '../../platform/postgres/age-ms.ts';
import {
  type Database,
  inTransaction,
  type Queryable,
  slowStatement,
} from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import { lockDomain } from '../domains/domain-store.ts';
import { MAX_PAGE_HOSTS, type PageHost, type PageHostState } from './page-host.ts';

export interface DuePageHost {
  readonly domainId: string;
  readonly accountId: string;
  readonly origin: string;
  readonly hostname: string;
  /** Whether the site of the domain has a certificate. */
  readonly isSecure: boolean;
  readonly isSuspended: boolean;
  readonly state: PageHostState;
  /** The time since the page host got this state, in ms. */
  readonly stateForMs: number;
  /** The time since the account asked for a check of the domain, in ms. Null: the account never asked. */
  readonly askedAgoMs: number | null;
  /** The due time that the claim has set, as text with microseconds. */
  readonly claimedUntil: string;
}

/** A page host that was taken is due again after this time, in case the process dies. A check takes less time. */
const CLAIM_SECONDS = 60;
/**
 * The most due page hosts that one statement looks at. If all of them are of one account, that account is busy afterwards, and the next
 * look, some milliseconds later, finds page hosts of other accounts.
 */
const LOOKED_AT = 1000;

export interface TakeLimits {
  readonly limit: number;
  readonly perAccount: number;
  /** Accounts that already have their share of checks under way. */
  readonly busyAccounts: readonly string[];
}

/**
 * Takes page hosts that are due. Accounts take turns, so a flood of page hosts of one account delays no other account. Concurrent processes
 * take different page hosts.
 */
export function takeDuePageHosts(queryable: Queryable, { limit, perAccount, busyAccounts }: TakeLimits) {
  // `due` is materialized, because a plan that runs it twice takes more than the limit.
  return allRows<DuePageHost>(
    queryable,
    `WITH oldest AS (
       SELECT domain_id, origin, account_id, due_at FROM page_hosts
        WHERE due_at <= now() AND account_id <> ALL($2) ORDER BY due_at LIMIT ${LOOKED_AT}
     ), turns AS (
       SELECT domain_id, origin, due_at, row_number() OVER (PARTITION BY account_id ORDER BY due_at) AS turn FROM oldest
     ), due AS MATERIALIZED (
       SELECT p.* FROM (SELECT * FROM turns WHERE turn <= $3 ORDER BY turn, due_at) AS t
              -- The limit makes Postgres look up each row, even when very many are due.
              CROSS JOIN LATERAL (SELECT domain_id, origin FROM page_hosts
                                   WHERE domain_id = t.domain_id AND origin = t.origin AND due_at <= now()
                                   LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) p
        LIMIT $1
     )
     UPDATE page_hosts p SET due_at = now() + $4 * interval '1 second'
       FROM due JOIN domains d ON d.id = due.domain_id JOIN accounts a ON a.id = d.account_id
      WHERE p.domain_id = due.domain_id AND p.origin = due.origin
  RETURNING p.domain_id AS "domainId", p.account_id AS "accountId", p.origin, d.hostname,
            p.due_at::text AS "claimedUntil", d.ssl_status = 'active' AS "isSecure", a.suspended_at IS NOT NULL AS "isSuspended", p.state,
            ${ageMs('p.state_since')} AS "stateForMs", ${ageMs('d.page_hosts_asked_at')} AS "askedAgoMs"`,
    [limit, busyAccounts, perAccount, CLAIM_SECONDS],
  );
}

type PageHostKey = Pick<DuePageHost, 'domainId' | 'origin'>;
type Claim = PageHostKey & Pick<DuePageHost, 'claimedUntil'>;

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

/** Puts a check off, unless the host has become due again since it was claimed. */
export async function postponeCheck(
  queryable: Queryable,
  { domainId, origin, claimedUntil }: Claim,
  waitMs: number,
): Promise<void> {
  await queryable.query(
    `UPDATE page_hosts SET due_at = now() + $4 * interval '1 millisecond'
      WHERE domain_id = $1 AND origin = $2 AND due_at = $3::timestamptz`,
    [domainId, origin, claimedUntil, waitMs],
  );
}

export interface CheckResult {
  readonly state: PageHostState;
  readonly message: string;
  /** The time since robots.txt was requested, in ms. */
  readonly ageMs: number;
  readonly nextInMs: number;
}

/**
 * Records a check, unless a check with a newer reading is recorded already. If the host has become due again since it was claimed, it stays
 * due. A missing line makes a warning due, but only once until the line is found again.
 */
export async function recordCheck(
  queryable: Queryable,
  { domainId, origin, claimedUntil }: Claim,
  { state, message, ageMs: age, nextInMs }: CheckResult,
): Promise<void> {
  const { rows } = await queryable.query<{ isWarningDue: boolean }>(
    `UPDATE page_hosts
        SET state = $3, message = $4, checked_at = now() - $5 * interval '1 millisecond',
            state_since = CASE WHEN state = $3 THEN state_since ELSE now() END,
            due_at = CASE WHEN due_at = $7::timestamptz THEN now() + $6 * interval '1 millisecond' ELSE due_at END,
            warning = CASE WHEN $3 IN ('found', 'disallowed') THEN 'none'
                           WHEN $3 IN ('missing', 'partly') AND warning = 'none' THEN 'due' ELSE warning END
      WHERE domain_id = $1 AND origin = $2
        -- Checks may share a reading, and compute its time with some jitter. A time to come is of a clock that was ahead.
        AND coalesce(checked_at <= now() - $5 * interval '1 millisecond' + interval '5 seconds' OR checked_at > now(), true)
  RETURNING warning = 'due' AS "isWarningDue"`,
    [domainId, origin, state, message, age, nextInMs, claimedUntil],
  );
  if (!rows[0]?.isWarningDue) return;
  // Always run this as a statement of its own, because it waits for an upload that is setting `has_warnings` to false. If the process dies
  // before this statement, the next check finds the warning still due.
  await queryable.query(slowStatement('UPDATE domains SET has_warnings = true WHERE id = $1', [domainId]));
}

/** Deletes the page host, unless a sitemap with pages of the host was published meanwhile. */
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

/** Lists the page hosts of a domain. Those with the most URLs come first. */
export function listPageHosts(queryable: Queryable, domainId: string) {
  return allRows<PageHost>(
    queryable,
    `SELECT p.origin, sum(c.url_count)::bigint AS "urlCount", p.state, p.message, p.checked_at AS "checkedAt",
            p.due_at AS "nextCheckAt"
       FROM page_hosts p JOIN page_url_counts c USING (domain_id, origin)
      WHERE domain_id = $1 GROUP BY p.domain_id, p.origin
      ORDER BY sum(c.url_count) DESC, p.origin LIMIT ${MAX_PAGE_HOSTS}`,
    [domainId],
  );
}

export async function countPageHosts(queryable: Queryable): Promise<Partial<Record<PageHostState, number>>> {
  const { rows } = await queryable.query<{ state: PageHostState; count: number }>(
    slowStatement('SELECT state, count(*) AS count FROM page_hosts GROUP BY state', []),
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}
