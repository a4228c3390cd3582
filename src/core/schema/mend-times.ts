/**
 * Mends the times that the clock of the database wrote while it was ahead. If a time is further ahead than any decision puts it, its work
 * stands still for hours or years, or a session does not end. Schedules and expected uploads have jobs of their own.
 */
import type { Database } from '../../platform/postgres/database.ts';
import { recordLook } from '../jobs/record-look.ts';

interface TimeAhead {
  readonly table: string;
  readonly column: string;
  /** The longest time ahead, as an interval of Postgres. */
  readonly most: string;
  /** The condition of the partial index that finds the rows, or of the few rows that count. */
  readonly where?: string;
}

const IS_SERVED = "status IN ('verified', 'active')";

export const TIMES_AHEAD: readonly TimeAhead[] = [
  { table: 'domains', column: 'check_at', most: '2 days', where: `${IS_SERVED} AND wrong_checks = 0` },
  { table: 'domains', column: 'check_at', most: '2 days', where: `${IS_SERVED} AND wrong_checks > 0` },
  { table: 'domains', column: 'check_at', most: '2 days', where: "status = 'pending_verification'" },
  { table: 'certificates', column: 'ari_check_at', most: '2 days' },
  // Renewals are planned by the times in the certificate, and some certificates live for a year.
  { table: 'certificates', column: 'due_at', most: '400 days' },
  { table: 'webhook_deliveries', column: 'due_at', most: '36 hours', where: 'due_at IS NOT NULL' },
  { table: 'webhook_endpoints', column: 'digest_at', most: '8 days', where: 'digest_at IS NOT NULL' },
  { table: 'indexnow_hosts', column: 'due_at', most: '36 hours', where: 'due_at IS NOT NULL' },
  { table: 'page_hosts', column: 'due_at', most: '2 days' },
  { table: 'recent_sitemaps', column: 'due_at', most: '4 days', where: 'due_at IS NOT NULL' },
  { table: 'due_url_indexes', column: 'due_at', most: '1 hour' },
  { table: 'told_accounts', column: 'due_at', most: '1 hour' },
  { table: 'site_changes', column: 'due_at', most: '1 hour' },
  // Other jobs may wait for longer after a failure, or for a pause. Only rows that a clock ahead has written count.
  {
    ...{ table: 'graphile_worker._private_jobs', column: 'run_at', most: '1 minute' },
    where: "updated_at > now() + interval '1 minute'",
  },
  { table: 'sitemaps', column: 'compare_at', most: '1 hour', where: 'compare_at IS NOT NULL' },
  // The number of tokens is computed from this time.
  { table: 'paces', column: 'tokens_at', most: '1 second' },
  { table: 'acme_accounts', column: 'tokens_at', most: '1 second' },
  { table: 'acme_accounts', column: 'paused_until', most: '2 days' },
  // The leases of a dead process would keep an account from its uploads.
  { table: 'upload_slots', column: 'expires_at', most: '1 hour' },
  // Sessions and links with such times let people in for years.
  { table: 'sessions', column: 'expires_at', most: '8 days' },
  { table: 'sign_in_links', column: 'expires_at', most: '1 hour', where: "kind = 'sign_in'" },
  { table: 'sign_in_links', column: 'expires_at', most: '8 days', where: "kind = 'invitation'" },
];

const PORTION = 1000;

/** Looks at the clock. Mends times while the clock cannot be trusted (`recordLook`). */
export async function mendTimes(database: Database): Promise<void> {
  if (await recordLook(database, 'times')) return;
  for (const time of TIMES_AHEAD) while ((await mend(database, time)) === PORTION);
  while ((await mendGarbage(database)) === PORTION);
}

async function mend(database: Database, { table, column, most, where = 'true' }: TimeAhead): Promise<number> {
  const { rowCount } = await database.query(
    `UPDATE ${table} SET ${column} = now() WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE ${where} AND ${column} > now() + interval '${most}' LIMIT ${PORTION} FOR NO KEY UPDATE SKIP LOCKED))`,
  );
  return rowCount ?? 0;
}

/**
 * Makes garbage that would wait for years due in a day. It is not due at once, because an upload may be under way. The prefix of a site's
 * indexes keeps its time, so none of the later indexes would be deleted either. `due_garbage` lists all times of garbage but infinity.
 */
async function mendGarbage(database: Database): Promise<number> {
  const { rowCount } = await database.query(
    `WITH ahead AS MATERIALIZED (
       SELECT g.prefix FROM due_garbage d CROSS JOIN LATERAL (
                SELECT prefix FROM garbage WHERE prefix = d.prefix AND collect_after = d.collect_after
                 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) g
        WHERE d.collect_after > now() + interval '400 days' LIMIT ${PORTION}
     )
     UPDATE garbage AS g SET collect_after = now() + interval '1 day' FROM ahead WHERE g.prefix = ahead.prefix`,
  );
  return rowCount ?? 0;
}
