/** The SQL of sitemaps of recent changes. */
import {
  type Database,
  inTransaction,
  type Queryable,
  slowStatement,
  type Transaction,
} from '../../platform/postgres/database.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { RecentFeed, RecentFile } from '../domains/recent-objects.ts';
import type { LeftOutReason } from '../entries/changed-entries.ts';
import { RECENT_EVERY_MS } from '../sites/recent-sitemap.ts';
import { IS_OURS, type Lease, leaseLost, NO_TURN } from './due-recent-store.ts';
import type { Cut } from './merge-changes.ts';

/** A version of the recent files. */
export interface RecentVersion {
  /** The keys of its objects begin with `uploadPrefix(uploadId)`. Null: the version has no objects. */
  readonly uploadId: string | null;
  readonly files: readonly RecentFile[];
  readonly feed: RecentFeed | null;
  readonly urlCount: number;
  readonly cuts: readonly Cut[];
}

/** The last version, as its row in Postgres has it. `updatedAt` and `now` are Unix times in seconds. */
export interface HeldVersion extends RecentVersion {
  readonly updatedAt: number | null;
  /** The time by the clock of the database. */
  readonly now: number;
}

/** Throws LeaseLost. */
export async function readVersion(queryable: Queryable, { domainId, fence }: Lease): Promise<HeldVersion> {
  const { rows } = await queryable.query<HeldVersion>(
    `SELECT upload_id AS "uploadId", files, feed, url_count AS "urlCount", left_out AS cuts,
            floor(extract(epoch FROM updated_at))::float8 AS "updatedAt",
            floor(extract(epoch FROM now()))::float8 AS now
       FROM recent_sitemaps WHERE ${IS_OURS}`,
    [domainId, fence],
  );
  if (rows[0] === undefined) throw leaseLost();
  return rows[0];
}

/** A row of `changed_entries`: changes that are not in the recent files yet. `at`: Unix time in seconds. */
export interface ChangedRow {
  readonly id: number;
  readonly sitemapName: string;
  readonly seq: number;
  readonly at: number;
  readonly leftOut: LeftOutReason | null;
  readonly content: Buffer | null;
  /** The name of the object in place of `content`. */
  readonly name: string | null;
}

/** Lists the oldest rows of a domain, in descending order: at most `limit` rows and `maxBytes` bytes, but at least one row. */
export function listChanged(
  queryable: Queryable,
  domainId: string,
  { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number },
) {
  return allRows<ChangedRow>(
    queryable,
    slowStatement(
      `WITH first AS (
         SELECT *, sum(bytes) OVER (ORDER BY id) AS total
           FROM (SELECT * FROM changed_entries WHERE domain_id = $1 ORDER BY id LIMIT $2) AS c
       )
       SELECT id, sitemap_name AS "sitemapName", seq, floor(extract(epoch FROM changed_at))::float8 AS at,
              left_out AS "leftOut", content, name
         FROM first WHERE total <= $3 OR total = bytes ORDER BY id DESC`,
      [domainId, limit, maxBytes],
    ),
  );
}

/** The live generation of a sitemap. */
export interface LiveGeneration {
  readonly seq: number;
  readonly urls: number;
}

export async function findLiveGenerations(
  queryable: Queryable,
  domainId: string,
): Promise<Map<string, LiveGeneration>> {
  const { rows } = await queryable.query<LiveGeneration & { name: string }>(
    slowStatement(
      `SELECT s.name, u.seq, u.url_count AS urls FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
        WHERE s.domain_id = $1`,
      [domainId],
    ),
  );
  return new Map(rows.map(({ name, ...generation }) => [name, generation]));
}

/** Locks the row of the recent files. Returns the `uploadId` of the last version. Throws LeaseLost. */
export async function lockVersion(
  transaction: Transaction,
  { domainId, fence }: Lease,
): Promise<string | null> {
  const { rows } = await transaction.query<{ uploadId: string | null }>(
    `SELECT upload_id AS "uploadId" FROM recent_sitemaps WHERE ${IS_OURS} FOR NO KEY UPDATE`,
    [domainId, fence],
  );
  if (rows[0] === undefined) throw leaseLost();
  return rows[0].uploadId;
}

/**
 * Replaces the version, and ends the lease. `nextAt`: the Unix time in seconds at which the next change leaves the window; undefined if
 * no change is left.
 */
export async function replaceVersion(
  transaction: Transaction,
  { domainId, fence }: Lease,
  { uploadId, files, feed, urlCount, cuts }: RecentVersion,
  nextAt: number | undefined,
): Promise<void> {
  await transaction.query(
    `UPDATE recent_sitemaps
        SET upload_id = $3, files = $4, feed = $5, url_count = $6, left_out = $7, updated_at = now(), ${NO_TURN},
            due_at = ${NEXT_DUE('$8')}
      WHERE ${IS_OURS}`,
    [
      ...[domainId, fence, uploadId, JSON.stringify(files), feed && JSON.stringify(feed), urlCount],
      ...[JSON.stringify(cuts), nextAt ?? null],
    ],
  );
}

/** Leaves the version as it is, and ends the lease. Throws LeaseLost. */
export async function keepVersion(
  database: Database,
  lease: Lease,
  nextAt: number | undefined,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    // An UPDATE that waits for a publication does not see the changes of that publication. The UPDATE after the lock sees them.
    await lockVersion(transaction, lease);
    await transaction.query(
      `UPDATE recent_sitemaps SET ${NO_TURN}, due_at = ${NEXT_DUE('$3')} WHERE ${IS_OURS}`,
      [lease.domainId, lease.fence, nextAt ?? null],
    );
  });
}

/** The least time between two versions that differ only by changes that have left the window. */
const LEAVE_EVERY = `interval '10 minutes'`;
const NEXT_DUE = (nextAt: string) => `
  CASE WHEN EXISTS (SELECT FROM changed_entries c WHERE c.domain_id = $1)
       THEN now() + ${RECENT_EVERY_MS} * interval '1 millisecond'
       WHEN ${nextAt}::float8 IS NOT NULL THEN greatest(to_timestamp(${nextAt}), now() + ${LEAVE_EVERY}) END`;

/** Deletes rows whose changes are in the recent files now. Returns the names of the objects of these rows. */
export async function deleteChanged(transaction: Transaction, ids: readonly number[]): Promise<string[]> {
  const { rows } = await transaction.query<{ name: string | null }>(
    'DELETE FROM changed_entries WHERE id = ANY($1) RETURNING name',
    [ids],
  );
  return rows.flatMap(({ name }) => name ?? []);
}

export interface RecentSettings {
  readonly enabled: boolean;
  readonly hours: number;
}

/** The settings of a domain and the content of its recent files, as the API shows them. */
export interface RecentSummary extends RecentSettings {
  readonly urlCount: number;
  readonly updatedAt: Date | null;
  readonly leftOut: readonly Cut[];
}

/** Returns the summary of a domain, with only the cuts in the window. Throws Refusal NOT_FOUND. */
export async function findRecentSummary(queryable: Queryable, domainId: string): Promise<RecentSummary> {
  const { rows } = await queryable.query<RecentSummary & { readonly windowFrom: number }>(
    `SELECT d.recent_enabled AS enabled, d.recent_hours AS hours, coalesce(r.url_count, 0) AS "urlCount",
            r.updated_at AS "updatedAt", coalesce(r.left_out, '[]') AS "leftOut",
            extract(epoch FROM now())::float8 - 3600 * d.recent_hours AS "windowFrom"
       FROM domains d LEFT JOIN recent_sitemaps r ON r.domain_id = d.id WHERE d.id = $1`,
    [domainId],
  );
  // The domain was deleted meanwhile.
  if (rows[0] === undefined) throw new Refusal('NOT_FOUND', 'There is no such domain.');
  const { windowFrom, ...summary } = rows[0];
  return { ...summary, leftOut: summary.leftOut.filter(({ at }) => at > windowFrom) };
}

/** Changes the given settings. Returns the former settings; undefined if no setting differs. The caller must have locked the domain. */
export function setRecent(
  transaction: Transaction,
  domainId: string,
  { enabled, hours }: Partial<RecentSettings>,
) {
  return firstRow<RecentSettings>(
    transaction,
    `UPDATE domains d SET recent_enabled = coalesce($2, d.recent_enabled), recent_hours = coalesce($3, d.recent_hours)
       FROM domains former
      WHERE d.id = $1 AND former.id = d.id
        AND (d.recent_enabled <> coalesce($2, d.recent_enabled) OR d.recent_hours <> coalesce($3, d.recent_hours))
  RETURNING former.recent_enabled AS enabled, former.recent_hours AS hours`,
    [domainId, enabled ?? null, hours ?? null],
  );
}

export async function hasSitemapNamed(
  queryable: Queryable,
  domainId: string,
  name: string,
): Promise<boolean> {
  const { rowCount } = await queryable.query('SELECT FROM sitemaps WHERE domain_id = $1 AND name = $2', [
    domainId,
    name,
  ]);
  return rowCount === 1;
}

export async function countLiveFiles(queryable: Queryable, domainId: string): Promise<number> {
  const { rows } = await queryable.query<{ files: number }>(
    `SELECT coalesce(sum(u.file_count), 0)::integer AS files
       FROM sitemaps s JOIN uploads u ON u.id = s.upload_id WHERE s.domain_id = $1`,
    [domainId],
  );
  return rows[0]!.files;
}

export async function insertRecent(transaction: Transaction, domainId: string): Promise<void> {
  await transaction.query('INSERT INTO recent_sitemaps (domain_id) VALUES ($1) ON CONFLICT DO NOTHING', [
    domainId,
  ]);
}
