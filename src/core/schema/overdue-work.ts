/**
 * Tells how long the oldest due row of each queue has waited. A queue that is a column of due times can stand still without a failure.
 * So each such queue is here, or has a metric of its own. If the index of due rows has no entry, nothing is read.
 */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { isFree } from '../../platform/postgres/lease.ts';

const first = (column: string, table: string, where = 'true') =>
  `SELECT ${column} FROM ${table} WHERE ${column} <= now() AND ${where} ORDER BY ${column} LIMIT 1`;

/** Selects the time since which the work waits. A row whose lease is still valid is under way, and does not count. */
const WAITS_SINCE = {
  loads: `SELECT min(CASE WHEN isfinite(lease_until) THEN greatest(created_at, lease_until) ELSE created_at END)
            FROM loads WHERE ended_at IS NULL AND (${isFree('lease_until')} OR NOT isfinite(lease_until))`,
  schedules: first('due_at', 'schedules'),
  'recent changes': first('due_at', 'recent_sitemaps', isFree('leased_until')),
  'page hosts': first('due_at', 'page_hosts'),
  'URL indexes': first('due_at', 'due_url_indexes'),
  incidents: first('due_at', 'told_accounts'),
  // The job of freshness looks twice a minute, so it is late a minute after its last look.
  freshness: `SELECT at + interval '1 minute' FROM looks WHERE name = 'freshness'`,
  // Each attempt moves due_at, so the time of the change counts.
  sites: 'SELECT min(changed_at) FROM site_changes',
  // Jobs of first certificates do not count: they wait until the limits of authorities allow an order.
  jobs: `SELECT min(run_at) FROM graphile_worker.jobs
          WHERE run_at <= now() AND locked_at IS NULL AND attempts < max_attempts AND task_identifier <> 'certificate.issue'`,
} as const;

export type OverdueWork = Readonly<Record<keyof typeof WAITS_SINCE, number>>;

/** Returns the age of the oldest due row of each queue, in seconds. 0: nothing is due. */
export async function findOverdueWork(queryable: Queryable): Promise<OverdueWork> {
  const columns = Object.entries(WAITS_SINCE).map(
    ([work, since]) =>
      `greatest(0, coalesce(extract(epoch FROM now() - (${since})), 0))::float8 AS "${work}"`,
  );
  const { rows } = await queryable.query<OverdueWork>(slowStatement(`SELECT ${columns.join(',\n')}`, []));
  return rows[0]!;
}
