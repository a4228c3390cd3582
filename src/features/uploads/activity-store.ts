/** The SQL of the activity in an account: one cheap statement, because each open dashboard runs it every 1.5 to 15 s. */
import { createHash } from 'node:crypto';
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import type { RunningAttempt } from './attempt.ts';

export interface Activity {
  /** The time by the clock of the database. */
  readonly now: Date;
  /** The running uploads of all processes, as their slots were last renewed, and the loads under way. */
  readonly running: readonly { readonly hostname: string; readonly progress: RunningAttempt }[];
  /** Changes with every change of a domain, its certificate or its sitemaps, and with every new attempt. */
  readonly version: string;
}

interface ActivityRow extends Omit<Activity, 'version'> {
  readonly marks: string;
}

/** The loads under way, in the shape of `RunningAttempt`. */
const LOADING = `
  SELECT l.account_id,
         json_build_object('id', l.id, 'domainId', l.domain_id, 'sitemapName', l.sitemap_name, 'form', l.form, 'encoding', NULL,
           'userAgent', l.user_agent, 'keyId', l.key_id, 'userId', l.user_id,
           'bytesReceived', coalesce((l.progress->>'bytes')::bigint, 0), 'urlCount', coalesce((l.progress->>'urlCount')::bigint, 0),
           'fileCount', 0, 'rejected', 0, 'bytesTotal', CASE WHEN l.is_listed THEN l.bytes_total END,
           'startedAt', to_char(l.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         now() + interval '1 minute'
    FROM loads l WHERE l.account_id = $1 AND l.ended_at IS NULL`;

/**
 * `marks` changes with every change that `version` tells. An update gives a row a newer `xmin`, so the sum of `xmin` rises. An insertion or
 * a deletion changes the number of rows. Every change of a site updates its domain. An attempt that publishes nothing does not update its
 * domain, so `marks` also has the position of the newest attempt of each domain.
 */
const ACTIVITY = `
  SELECT now() AS now,
         (SELECT coalesce(json_agg(json_build_object('hostname', d.hostname, 'progress', s.progress)), '[]')
            FROM (SELECT account_id, progress, expires_at FROM upload_slots WHERE account_id = $1
                  UNION ALL ${LOADING}) AS s JOIN domains d ON d.id = s.progress->>'domainId' AND d.account_id = s.account_id
           WHERE s.account_id = $1 AND s.expires_at > now()
             -- Those that have just ended are still in their slots.
             AND NOT EXISTS (SELECT FROM attempts a WHERE a.id = s.progress->>'id')) AS running,
         (SELECT concat_ws(' ', count(*), sum(d.xmin::text::bigint), sum(a.position))
            FROM domains d LEFT JOIN LATERAL (SELECT position FROM attempts WHERE domain_id = d.id
                                               ORDER BY position DESC LIMIT 1) AS a ON true
           WHERE d.account_id = $1)
         || (SELECT concat_ws(' ', '', count(*), sum(c.xmin::text::bigint)) FROM certificates c WHERE c.account_id = $1)
         AS marks`;

export async function readActivity(queryable: Queryable, accountId: string): Promise<Activity> {
  // The statement takes a second or more for an account of 100,000 domains.
  const { rows } = await queryable.query<ActivityRow>(slowStatement(ACTIVITY, [accountId], 'read-activity'));
  const { now, running, marks } = rows[0]!;
  return { now, running, version: createHash('sha256').update(marks).digest('base64url') };
}
