/**
 * The SQL of due garbage. A step of the collector looks at one page of due prefixes at a time, in the order of `(collect_after, prefix)`.
 * The step skips prefixes that have to wait. So no statement grows with the number of due prefixes.
 */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import { filesOf, STORES_PARTS } from './garbage-store.ts';
import { UPLOADS_PREFIX } from './site.ts';

/**
 * Reads each due prefix once, `size` prefixes at a time. Prefixes that become due meanwhile come at the end. Deletes rows of `due_garbage`
 * whose prefix has another time now, or is gone.
 */
export async function* readDuePages(
  queryable: Queryable,
  size: number,
): AsyncGenerator<readonly string[], void, undefined> {
  // The time is text, because a Date has no microseconds.
  let last = { time: '0001-01-01', prefix: '' };
  for (;;) {
    const { rows } = await queryable.query<typeof last & { readonly holds: boolean }>(
      // A row that a writer adds at this moment is not in the page, so it stays.
      slowStatement(
        `WITH page AS MATERIALIZED (
           SELECT prefix, collect_after FROM due_garbage
            WHERE collect_after <= now() AND (collect_after, prefix) > ($1::timestamptz, $2)
            ORDER BY collect_after, prefix LIMIT $3
         ), compared AS MATERIALIZED (
           SELECT page.*, held.g IS NOT NULL AS holds
             FROM page LEFT JOIN LATERAL (SELECT true AS g FROM garbage
                                           WHERE prefix = page.prefix AND collect_after = page.collect_after LIMIT 1) AS held ON true
         ), forgotten AS (
           DELETE FROM due_garbage d USING compared c
            WHERE NOT c.holds AND d.collect_after = c.collect_after AND d.prefix = c.prefix
         )
         SELECT prefix, collect_after::text AS time, holds FROM compared ORDER BY collect_after, prefix`,
        [last.time, last.prefix, size],
      ),
    );
    const due = new Set(rows.filter(({ holds }) => holds).map(({ prefix }) => prefix));
    if (due.size > 0) yield [...due];
    if (rows.length < size) return;
    last = rows.at(-1)!;
  }
}

/**
 * A condition on columns of `garbage`: a comparison needs the upload (docs/decisions/0025). A running comparison reads the files of the
 * upload and stores objects beside them. A due comparison keeps the upload for a day at most.
 */
const IS_COMPARED = `coalesce((
  SELECT s.comparing_upload_id = u.id AND s.comparing_until > now()
         OR collect_after > now() - interval '1 day' AND s.compared_upload_id = u.id AND s.upload_id <> u.id
    FROM uploads u JOIN sitemaps s ON s.domain_id = u.domain_id AND s.name = u.sitemap_name
   WHERE u.id = split_part(prefix, '/', 2)), false)`;

/**
 * A condition on columns of `garbage`: a change of the upload's site has not been written for a minute, for example because the store is
 * full. The site may still name the upload, and the former generation that it shows must stay whole. Such a site keeps the upload for a day
 * at most.
 */
const IS_SITE_LATE = `coalesce((
  SELECT collect_after > now() - interval '1 day'
    FROM uploads u JOIN domains d ON d.id = u.domain_id JOIN site_changes c ON c.hostname = d.hostname
   WHERE u.id = split_part(prefix, '/', 2) AND c.changed_at < now() - interval '1 minute'), false)`;

/** A condition on columns of `garbage`: neither a comparison nor a late site needs the upload. */
export const IS_UNREAD = `NOT ${IS_COMPARED} AND NOT ${IS_SITE_LATE}`;

/**
 * Returns a condition on columns of `garbage`: the upload `own` of the prefix has the file that `file` selects. `file` names one file, in the
 * order of an index.
 *
 * If Postgres knows few uploads, as in a young database, it expects that each upload has many of all files, and that most uploads match. So
 * it reads whole tables for EXISTS. Therefore the condition is a value of one row, and the order makes Postgres read the index.
 */
const hasFile = (file: string) => `coalesce((
  SELECT true FROM uploads own CROSS JOIN LATERAL (
           ${file}) AS f
   WHERE own.id = split_part(prefix, '/', 2) AND prefix = '${UPLOADS_PREFIX}' || own.id || '/'), false)`;

/**
 * A condition on columns of `garbage`: another generation has files of the upload (docs/decisions/0030). With `=` in place of BETWEEN, the
 * order would have no effect.
 */
export const IS_NEEDED = hasFile(`
  SELECT FROM sitemap_files f
   -- Up to 50,000 rows belong to its own generation alone. Leave them out before the look at other generations.
   WHERE f.upload_id BETWEEN own.id AND own.id AND (f.from_seq <> own.seq OR f.to_seq IS DISTINCT FROM own.seq + 1)
     AND EXISTS (SELECT FROM uploads u WHERE u.domain_id = f.domain_id AND u.sitemap_name = f.sitemap_name
                                         AND u.id <> own.id AND ${filesOf('u.seq')})
   ORDER BY f.upload_id LIMIT 1`);

/**
 * A condition on columns of `garbage`: the generation must be trimmed before it is collected. Such a generation has a file that is not
 * live, and that another generation has, too, or another upload has made.
 */
const SHARES_FILES = hasFile(`
  SELECT FROM sitemap_files f
   WHERE f.domain_id = own.domain_id AND f.sitemap_name = own.sitemap_name AND ${filesOf('own.seq')}
     AND f.to_seq IS NOT NULL
     AND (f.from_seq <> own.seq OR f.to_seq <> own.seq + 1 OR f.upload_id <> own.id)
   ORDER BY f.from_seq, f.n LIMIT 1`);

/** Locks the due generations that share files, and ends them. From then on, no rollback restores them. */
export async function endSharingGenerations(
  queryable: Queryable,
  prefixes: readonly string[],
): Promise<void> {
  await queryable.query(
    slowStatement(
      // A subquery in IN may run again for each row.
      `WITH sharing AS MATERIALIZED (
         SELECT prefix FROM garbage
          WHERE prefix = ANY($1) AND collect_after <= now() AND ended_at IS NULL AND ${IS_UNREAD}
            AND (${SHARES_FILES} OR ${IS_NEEDED})
            FOR UPDATE SKIP LOCKED
       )
       UPDATE garbage AS g SET ended_at = now() FROM sharing WHERE g.prefix = sharing.prefix`,
      [prefixes],
    ),
  );
}

const IS_FREE = `collect_after <= now() AND ${IS_UNREAD} AND NOT ${IS_NEEDED}
  AND (trimmed_at IS NOT NULL OR NOT ${SHARES_FILES})`;

/** A prefix whose objects are due for deletion. */
export interface DueGarbage {
  readonly prefix: string;
  /** The number of files of its upload. Null if the upload was never published, or if the prefix is not that of an upload. */
  readonly files: number | null;
  /** The number of objects, if all are parts of a list of changes. Null: only the store knows which objects there are. */
  readonly objects: number | null;
}

/**
 * Locks and returns due prefixes in order. Leaves out prefixes that a comparison, a late site or another generation needs, that must be
 * trimmed first, or that another transaction has locked.
 */
export function takeDueGarbage(queryable: Queryable, prefixes: readonly string[], limit: number) {
  return allRows<DueGarbage>(
    queryable,
    slowStatement(
      `WITH due AS MATERIALIZED (
         SELECT prefix, collect_after FROM garbage WHERE prefix = ANY($1) AND ${IS_FREE}
          ORDER BY collect_after, prefix LIMIT $2 FOR UPDATE SKIP LOCKED
       )
       SELECT prefix, u.file_count AS files, nullif(u.objects, ${STORES_PARTS}) AS objects
         FROM due LEFT JOIN LATERAL (
                SELECT file_count, objects FROM uploads
                 WHERE id = split_part(prefix, '/', 2) AND prefix = $3 || id || '/' LIMIT 1) u ON true
        ORDER BY collect_after, prefix`,
      [prefixes, limit, UPLOADS_PREFIX],
    ),
  );
}

/** Locks the due prefix of the indexes of a site. Returns false if it is not due, or another transaction has locked it. */
export async function takeDueIndexes(queryable: Queryable, prefix: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    slowStatement('SELECT FROM garbage WHERE prefix = $1 AND collect_after <= now() FOR UPDATE SKIP LOCKED', [
      prefix,
    ]),
  );
  return rowCount === 1;
}
