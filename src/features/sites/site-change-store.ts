/**
 * The SQL of sites that must be written. The row of a hostname exists from a change until a write that has seen it:
 *
 *   (none) ─change→ due in 10 s ─written→ (none)
 *                     ├─ newer change during the write → due in 10 s
 *                     └─ due → taken by a sweep, due again later
 *
 * Publishers lock rows in the order of their hostnames. All other statements skip locked rows, so no deadlock is possible.
 */
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import { type SiteDomain, siteDomainOf } from '../domains/served-domain-store.ts';

/** Within this time, the process that made the change writes the site. */
const DUE_AFTER_MS = 10_000;
/** The longest delay before a failed write is tried again. Up to this limit, the delay is the time for which the site has waited. */
const MOST_DELAY_MS = 60_000;

/**
 * Requests writes of sites, so that a sweep writes them even if this process dies. An earlier request that is not settled yet keeps its
 * time.
 */
export async function requestWrites(transaction: Transaction, hostnames: readonly string[]): Promise<void> {
  await transaction.query({
    name: 'request-writes',
    // An existing row gets its generation only after it is locked. With a generation from before the lock, a writer that has seen a higher
    // generation deletes the row, and the change is lost.
    text: `INSERT INTO site_changes (hostname, generation, due_at)
           SELECT hostname, nextval('site_generations'), now() + $2 * interval '1 millisecond'
             FROM (SELECT DISTINCT unnest($1::text[]) AS hostname ORDER BY hostname) AS changed
           ON CONFLICT (hostname) DO UPDATE
              SET generation = nextval('site_generations'), due_at = least(site_changes.due_at, excluded.due_at)`,
    values: [hostnames, DUE_AFTER_MS],
  });
}

/** A hostname with its request for a write and its domain. One snapshot has both request and domain. */
export interface AskedSite {
  readonly hostname: string;
  /** The generation of the request, for `settleWrites`. Null if there is no request. */
  readonly asked: number | null;
  readonly domain: SiteDomain | undefined;
}

export async function readAskedSites(
  transaction: Transaction,
  hostnames: readonly string[],
): Promise<AskedSite[]> {
  const { rows } = await transaction.query<Omit<AskedSite, 'domain'> & (SiteDomain | { readonly id: null })>({
    name: 'read-asked-sites',
    text: `SELECT each.hostname, c.generation AS asked, d.*
             FROM unnest($1::text[]) AS each (hostname) LEFT JOIN site_changes c USING (hostname)
                  LEFT JOIN LATERAL (${siteDomainOf('each.hostname')}) AS d ON true`,
    values: [hostnames],
  });
  return rows.map(({ hostname, asked, ...domain }) => ({
    hostname,
    asked,
    domain: domain.id === null ? undefined : domain,
  }));
}

/**
 * Ends the requests of written sites. A newer request stays, and is due later, because its publisher is about to write the site. A row that
 * a publisher has locked stays as it is.
 */
export async function settleWrites(
  transaction: Transaction,
  sites: readonly Pick<AskedSite, 'hostname' | 'asked'>[],
): Promise<void> {
  const seen = sites.filter(({ asked }) => asked !== null);
  if (seen.length === 0) return;
  await transaction.query({
    name: 'settle-writes',
    text: `WITH free AS (
       SELECT c.hostname, c.generation <= seen.generation AS "isWritten"
         FROM site_changes c JOIN unnest($1::text[], $2::bigint[]) AS seen (hostname, generation) USING (hostname)
          FOR UPDATE OF c SKIP LOCKED
     ), ended AS (
       DELETE FROM site_changes c USING free WHERE c.hostname = free.hostname AND "isWritten"
     )
     UPDATE site_changes c SET changed_at = now(), due_at = now() + $3 * interval '1 millisecond'
       FROM free WHERE c.hostname = free.hostname AND NOT "isWritten"`,
    values: [seen.map(({ hostname }) => hostname), seen.map(({ asked }) => asked), DUE_AFTER_MS],
  });
}

/** A site that must be written, and the time of the first change that the site does not show. */
export interface RequestedWrite {
  readonly hostname: string;
  readonly changedAt: Date;
}

/** Whether the objects of the site may lag behind the database. */
export async function isWriteRequested(queryable: Queryable, hostname: string): Promise<boolean> {
  const { rowCount } = await queryable.query('SELECT FROM site_changes WHERE hostname = $1', [hostname]);
  return rowCount !== 0;
}

/** Takes due requests, the most overdue first. A taken request is due again later, because its write may fail. */
export function takeDueWrites(queryable: Queryable, limit: number) {
  return allRows<RequestedWrite>(
    queryable,
    `WITH due AS (
       SELECT hostname FROM site_changes WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
     )
     UPDATE site_changes c
        SET due_at = now() + least(greatest(now() - c.changed_at, $2 * interval '1 millisecond'),
                                   $3 * interval '1 millisecond')
       FROM due WHERE c.hostname = due.hostname
  RETURNING c.hostname, c.changed_at AS "changedAt"`,
    [limit, DUE_AFTER_MS, MOST_DELAY_MS],
  );
}

/** Without faults, the process of the change or a sweep writes the site within this time. */
const SOON = `interval '1 minute'`;

/** Whether a change of the site is under way. During a change, the objects may lag behind the database. */
export async function isSiteChanging(queryable: Queryable, hostname: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `SELECT FROM site_changes WHERE hostname = $1 AND changed_at > now() - ${SOON}`,
    [hostname],
  );
  return rowCount !== 0;
}

/** Lists at most `limit` sites whose write is overdue. */
export async function listOverdueWrites(queryable: Queryable, limit: number): Promise<string[]> {
  const { rows } = await queryable.query<{ hostname: string }>(
    `SELECT hostname FROM site_changes WHERE changed_at <= now() - ${SOON} ORDER BY changed_at LIMIT $1`,
    [limit],
  );
  return rows.map(({ hostname }) => hostname);
}
