/**
 * The SQL of sitemaps that their owners expect to upload at least every `expect_every_hours` hours:
 *
 *   fresh ─no upload for so long→ stale ─an upload→ fresh
 *
 * Each publication but a rollback moves `fresh_until` on. An unchanged upload moves it, too. A job compares `fresh_until` with the clock
 * of the database, and turns sitemaps stale or fresh. Each change and its event are written once, in the same transaction.
 */
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import { isoSeconds } from '../../../platform/iso-seconds.ts';
import { type Database, inTransaction, type Queryable } from '../../../platform/postgres/database.ts';
import { emitEvent } from '../../webhooks/emit-event.ts';
import type { SitemapKey } from '../upload-store.ts';

/** SQL: the time when the next upload of a sitemap `s` is due after an upload now. */
export const DUE_AGAIN = `now() + s.expect_every_hours * interval '1 hour'`;

/** Sets the expectation, which counts from now. A changed expectation makes a stale sitemap fresh. Returns false if nothing changes. */
export async function setExpectation(
  queryable: Queryable,
  { domainId, sitemapName }: SitemapKey,
  hours: number | null,
): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `UPDATE sitemaps SET expect_every_hours = $3, fresh_until = now() + $3::integer * interval '1 hour', stale_since = NULL,
            stale_account = NULL
      WHERE domain_id = $1 AND name = $2 AND expect_every_hours IS DISTINCT FROM $3`,
    [domainId, sitemapName, hours],
  );
  return rowCount === 1;
}

interface Turned {
  readonly accountId: string;
  readonly domainId: string;
  readonly hostname: string;
  readonly name: string;
  readonly hours: number;
  readonly staleSince: Date;
}

/** Turns a portion of sitemaps stale. Returns how many. */
export function openStale(database: Database, limit: number): Promise<number> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<Turned>({
      name: 'open-stale',
      text: `WITH due AS (
               SELECT domain_id, name FROM sitemaps WHERE stale_since IS NULL AND fresh_until <= now()
                ORDER BY fresh_until LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
             )
             UPDATE sitemaps s SET stale_since = s.fresh_until, stale_account = d.account_id
               FROM due JOIN domains d ON d.id = due.domain_id
              WHERE s.domain_id = due.domain_id AND s.name = due.name
             RETURNING ${TURNED}, s.stale_since AS "staleSince"`,
      values: [limit],
    });
    for (const { accountId, hours, staleSince, ...sitemap } of rows) {
      const event = { ...eventOf(sitemap), expectEveryHours: hours, dueAt: isoSeconds(staleSince) };
      await emitEvent(transaction, accountId, 'sitemap.stale', event);
    }
    return rows.length;
  });
}

/**
 * Turns a portion of stale sitemaps fresh: sitemaps that were uploaded after they were due. The current time does not matter. Returns how
 * many.
 */
export function endStale(database: Database, limit: number): Promise<number> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<Turned>({
      name: 'end-stale',
      text: `WITH over AS (
               SELECT ctid, domain_id, stale_since FROM sitemaps WHERE fresh_until > stale_since
                ORDER BY fresh_until LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
             )
             UPDATE sitemaps s SET stale_since = NULL, stale_account = NULL
               FROM over CROSS JOIN LATERAL (SELECT * FROM domains WHERE id = over.domain_id LIMIT 1) d
              WHERE s.ctid = over.ctid
             RETURNING ${TURNED}, over.stale_since AS "staleSince"`,
      values: [limit],
    });
    for (const { accountId, hours, staleSince, ...sitemap } of rows) {
      const event = { ...eventOf(sitemap), expectEveryHours: hours, staleSince: isoSeconds(staleSince) };
      await emitEvent(transaction, accountId, 'sitemap.fresh', event);
    }
    return rows.length;
  });
}

const TURNED = `d.account_id AS "accountId", d.id AS "domainId", d.hostname, s.name, s.expect_every_hours AS hours`;

function eventOf({ domainId, hostname, name }: Pick<Turned, 'domainId' | 'hostname' | 'name'>) {
  return { domainId, domain: hostname, sitemapName: shownSitemapName(name) };
}

/**
 * Corrects `fresh_until` of a portion of sitemaps that were uploaded while the clock was ahead, as if they were uploaded now. Skips locked
 * rows, because publications lock several in an order of their own. Returns how many.
 */
export async function clampFreshUntil(queryable: Queryable, limit: number): Promise<number> {
  const { rowCount } = await queryable.query(
    `WITH ahead AS MATERIALIZED (
       SELECT domain_id, name FROM sitemaps s WHERE stale_since IS NULL AND fresh_until > ${DUE_AGAIN}
        ORDER BY fresh_until DESC LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
     )
     UPDATE sitemaps s SET fresh_until = ${DUE_AGAIN} FROM ahead WHERE s.domain_id = ahead.domain_id AND s.name = ahead.name`,
    [limit],
  );
  return rowCount ?? 0;
}
