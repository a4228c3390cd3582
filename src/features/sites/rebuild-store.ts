/** The SQL of rebuilds of all sites. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';

export interface FailedSite {
  readonly hostname: string;
  /** A text for people. */
  readonly reason: string;
}

export interface Rebuild {
  readonly id: string;
  readonly position: number;
  /** The name of the operator, as in the audit log. */
  readonly askedBy: string;
  readonly createdAt: Date;
  /** The last hostname that is done. Hostnames are done in alphabetical order. */
  readonly after: string;
  /** The number of hostnames at the time of the request. */
  readonly sites: number;
  readonly written: number;
  readonly removed: number;
  readonly failed: number;
  /** The first MOST_FAILURES failures. */
  readonly failures: readonly FailedSite[];
  readonly workedAt: Date | null;
  readonly endedAt: Date | null;
}

const KEPT = 100;
const MOST_FAILURES = 50;
const COLUMNS = `id, position, asked_by AS "askedBy", created_at AS "createdAt", after, sites, written, removed, failed, failures,
  worked_at AS "workedAt", ended_at AS "endedAt"`;

/** The key of the job of a rebuild is JOB_KEY followed by the id of the rebuild. */
export const JOB_KEY = 'sites.rebuild ';

/**
 * Ends a rebuild whose job was given up, for example after days of failures. No process works on such a rebuild any more. A rebuild and its
 * next job are committed together. So if no job of a rebuild under way can still run, the rebuild was given up.
 */
export async function endGivenUp(queryable: Queryable): Promise<void> {
  await queryable.query(
    `UPDATE rebuilds AS r SET ended_at = now()
      WHERE ended_at IS NULL
        AND NOT EXISTS (SELECT FROM graphile_worker.jobs
                         WHERE key = '${JOB_KEY}' || r.id AND (attempts < max_attempts OR locked_at IS NOT NULL))`,
  );
}

/** Inserts a rebuild, and deletes all but the KEPT newest rebuilds. Returns undefined if another rebuild is under way. */
export async function insertRebuild(
  queryable: Queryable,
  { id, askedBy }: Pick<Rebuild, 'id' | 'askedBy'>,
): Promise<Rebuild | undefined> {
  const { rows } = await queryable.query<Rebuild>(
    `INSERT INTO rebuilds (id, asked_by, sites) SELECT $1, $2, count(DISTINCT hostname) FROM domains
     ON CONFLICT ((ended_at IS NULL)) WHERE ended_at IS NULL DO NOTHING RETURNING ${COLUMNS}`,
    [id, askedBy],
  );
  await queryable.query(
    'DELETE FROM rebuilds WHERE position <= (SELECT position FROM rebuilds ORDER BY position DESC OFFSET $1 LIMIT 1)',
    [KEPT],
  );
  return rows[0];
}

export function findRebuild(queryable: Queryable, id: string) {
  return firstRow<Rebuild>(queryable, `SELECT ${COLUMNS} FROM rebuilds WHERE id = $1`, [id]);
}

/** Lists the first `limit` rebuilds with a position below `before`, the newest first. */
export function listRebuilds(queryable: Queryable, limit: number, before?: number) {
  return allRows<Rebuild>(
    queryable,
    `SELECT ${COLUMNS} FROM rebuilds WHERE ($2::bigint IS NULL OR position < $2) ORDER BY position DESC LIMIT $1`,
    [limit, before ?? null],
  );
}

interface RebuiltSites extends Pick<Rebuild, 'written' | 'removed'> {
  /** The last hostname of the portion; undefined if no hostnames are left. */
  readonly last: string | undefined;
  readonly failures: readonly FailedSite[];
}

/** Adds the counts of the portion of sites that follows `after`. Changes nothing if another process has added this portion. */
export async function addRebuilt(
  queryable: Queryable,
  { id, after }: Pick<Rebuild, 'id' | 'after'>,
  { last, written, removed, failures }: RebuiltSites,
): Promise<void> {
  await queryable.query(
    `UPDATE rebuilds SET after = coalesce($3, after), written = written + $4, removed = removed + $5, worked_at = now(),
            ended_at = CASE WHEN $3::text IS NULL THEN now() END, failed = failed + json_array_length($6::json),
            failures = (SELECT coalesce(json_agg(failure ORDER BY n), '[]')
                          FROM (SELECT failure, n FROM json_array_elements((failures::jsonb || $6::jsonb)::json)
                                         WITH ORDINALITY AS all_of_them (failure, n) LIMIT ${MOST_FAILURES}) AS first)
      WHERE id = $1 AND after = $2 AND ended_at IS NULL`,
    [id, after, last ?? null, written, removed, JSON.stringify(failures)],
  );
}
