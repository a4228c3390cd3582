/**
 * The SQL of sites that are to be written. The row of a hostname lives from a change until a write that has seen it:
 *
 *   (none) ─change→ due in 10 s ─written→ (none)
 *                     ├─ newer change during the write → due in 10 s
 *                     └─ due → taken by a sweep, due again later
 *
 * Publishers lock rows in the order of their hostnames. Nobody else waits for a row.
 */
import { type SiteDomain, siteDomainOf } from '../domains/served-domain-store.ts';
import type { Queryable, Transaction } from '../platform/postgres/database.ts';

/** Long enough for the process that made the change to write the site. */
const DUE_AFTER_MS = 10_000;
/** A site that cannot be written is tried again after as long as it has waited, and after this at the latest. */
const MOST_DELAY_MS = 60_000;

/** Has the sites written soon, whoever dies. An earlier change that is not written yet keeps its time. */
export async function requestWrites(transaction: Transaction, hostnames: readonly string[]): Promise<void> {
  await transaction.query({
    name: 'request-writes',
    // Take the generation of an existing row once it is locked: a lower one than a writer has seen would be lost.
    text: `INSERT INTO site_changes (hostname, generation, due_at)
           SELECT hostname, nextval('site_generations'), now() + $2 * interval '1 millisecond'
             FROM (SELECT DISTINCT unnest($1::text[]) AS hostname ORDER BY hostname) AS changed
           ON CONFLICT (hostname) DO UPDATE
              SET generation = nextval('site_generations'), due_at = least(site_changes.due_at, excluded.due_at)`,
    values: [hostnames, DUE_AFTER_MS],
  });
}

/** What is asked for a hostname and what it has, in one snapshot. */
export interface AskedSite {
  readonly hostname: string;
  /** The generation of the row, for `settleWrites`; null if there is none. */
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
    ...{ hostname, asked },
    domain: domain.id === null ? undefined : domain,
  }));
}

/**
 * Ends the requests of sites that are written. A newer one stays, and is due later: its publisher is about to write. A row
 * that a publisher holds stays as it is.
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

/** A site that is to be written, and the time of the first change that it does not show. */
export interface RequestedWrite {
  readonly hostname: string;
  readonly changedAt: Date;
}

/** Whether the objects of the site may lag behind the database. */
export async function isWriteRequested(queryable: Queryable, hostname: string): Promise<boolean> {
  const { rowCount } = await queryable.query('SELECT FROM site_changes WHERE hostname = $1', [hostname]);
  return rowCount !== 0;
}

/** Takes requests that are due, the longest first. They are due again later, in case they are not settled. */
export async function takeDueWrites(queryable: Queryable, limit: number): Promise<RequestedWrite[]> {
  const { rows } = await queryable.query<RequestedWrite>(
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
  return rows;
}

/** In this time, the process of the change or a sweep writes the site, if nothing is wrong. */
const SOON = `interval '1 minute'`;

/** Whether a change of the site is under way. Until it ends, the objects may lag behind the database. */
export async function isSiteChanging(queryable: Queryable, hostname: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `SELECT FROM site_changes WHERE hostname = $1 AND changed_at > now() - ${SOON}`,
    [hostname],
  );
  return rowCount !== 0;
}

/** Sites that should have been written long ago, at most `limit`. */
export async function listOverdueWrites(queryable: Queryable, limit: number): Promise<string[]> {
  const { rows } = await queryable.query<{ hostname: string }>(
    `SELECT hostname FROM site_changes WHERE changed_at <= now() - ${SOON} ORDER BY changed_at LIMIT $1`,
    [limit],
  );
  return rows.map(({ hostname }) => hostname);
}
