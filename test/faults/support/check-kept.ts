/**
 * Judges what customers cannot see. Once jobs and collection are done, no job is left, and the store holds exactly the
 * objects of everything live.
 */
import { HOSTS_PREFIX, hostHash, hostsKey, shardOf } from '../../../src/features/sites/host-directory.ts';
import type { Database, Queryable } from '../../../src/platform/postgres/database.ts';

/**
 * Throws if a job is left: waiting, failed for good, or locked by a process that may be dead. Recurring jobs, whose key is
 * their name, always wait for their time. Throws too if a site is still to be written.
 */
export async function checkJobs(queryable: Queryable): Promise<void> {
  const { rows } = await queryable.query(
    `SELECT task_identifier AS name, key, attempts, max_attempts AS most, locked_by AS "lockedBy",
            run_at AS "runAt", last_error AS error
       FROM graphile_worker.jobs
      WHERE key IS DISTINCT FROM task_identifier OR locked_at IS NOT NULL OR run_at <= now()`,
  );
  if (rows.length > 0) throw new Error(`jobs are left: ${JSON.stringify(rows)}`);
  const changes = await queryable.query('SELECT hostname, generation, due_at AS "dueAt" FROM site_changes');
  if (changes.rows.length > 0) throw new Error(`sites are not written: ${JSON.stringify(changes.rows)}`);
}

interface LiveUpload {
  readonly hostname: string;
  readonly generation: number;
  readonly id: string;
  /** The objects, as in upload_1/7. A rollback has those of another upload. Small files have none. */
  readonly files: readonly string[];
  /** The parts of the list of changes. */
  readonly parts: number;
}

/** Throws if an upload is not compared yet. */
export async function checkComparisons(queryable: Queryable): Promise<void> {
  const { rowCount } = await queryable.query(
    'SELECT FROM sitemaps WHERE compared_upload_id IS DISTINCT FROM upload_id',
  );
  if (rowCount !== 0) throw new Error(`${rowCount} uploads are not compared`);
}

/** Uploads that a live generation has some of its files from: a rollback, or an upload that was placed. */
const NEEDED = `
  SELECT DISTINCT f.upload_id FROM sitemap_files f JOIN sitemaps s ON s.domain_id = f.domain_id AND s.name = f.sitemap_name
   WHERE f.to_seq IS NULL AND f.upload_id <> s.upload_id`;

/** Leaves out lists of changes beside uploads that are needed: overtaken comparisons leave these. */
export async function withoutOldChanges(queryable: Queryable, keys: readonly string[]): Promise<string[]> {
  const { rows } = await queryable.query<{ id: string }>(`SELECT id FROM (${NEEDED}) AS needed (id)`);
  return keys.filter((key) => !rows.some(({ id }) => key.startsWith(`uploads/${id}/changes-`)));
}

/** Whether only the uploads that are needed are still listed. */
export async function isAllCollected(queryable: Queryable): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `SELECT FROM garbage WHERE prefix NOT IN (SELECT 'uploads/' || id || '/' FROM (${NEEDED}) AS needed (id))`,
  );
  return rowCount === 0;
}

const OBJECT = 'NOT EXISTS (SELECT FROM small_files m WHERE m.upload_id = f.upload_id AND m.n = f.upload_n)';

/**
 * The keys of live sitemaps and their sites, by the layout in `src/features/sites/site.ts`. Listings and indexes may also be in
 * site.json (`isListing`). What is served shows whether they are.
 */
export async function referencedKeys(queryable: Queryable): Promise<string[]> {
  const { rows } = await queryable.query<LiveUpload>(
    `SELECT d.hostname, d.generation, u.id, coalesce(c.parts, 0) AS parts,
            ARRAY(SELECT f.upload_id || '/' || f.upload_n FROM sitemap_files f
                   WHERE f.domain_id = u.domain_id AND f.sitemap_name = u.sitemap_name AND f.to_seq IS NULL
                     AND ${OBJECT}) AS files
       FROM domains d JOIN sitemaps s ON s.domain_id = d.id JOIN uploads u ON u.id = s.upload_id
            LEFT JOIN comparisons c ON c.upload_id = u.id`,
  );
  const keys = rows.flatMap(({ hostname, generation, id, files, parts }) => [
    `sites/${hostname}/site.json`,
    `sites/${hostname}/index-${generation}.xml.gz`,
    `uploads/${id}/listing.json`,
    `uploads/${id}/index.xml.gz`,
    ...files.map((file) => `uploads/${file}.xml.gz`),
    ...Array.from({ length: parts }, (_, at) => `uploads/${id}/changes-${at + 1}.ndjson.gz`),
  ]);
  const served = await queryable.query<{ hostname: string }>(
    "SELECT hostname FROM domains WHERE status IN ('verified', 'active')",
  );
  const ofHosts = served.rows.flatMap(({ hostname }) => [
    `sites/${hostname}/site.json`,
    hostsKey(shardOf(hostHash(hostname))),
  ]);
  const needed = await queryable.query<{ id: string; files: number[] }>(
    `SELECT f.upload_id AS id, array_agg(DISTINCT f.upload_n) AS files FROM sitemap_files f
      WHERE f.upload_id IN (${NEEDED}) AND ${OBJECT} GROUP BY f.upload_id`,
  );
  const ofNeeded = needed.rows.flatMap(({ id, files }) => [
    `uploads/${id}/listing.json`,
    `uploads/${id}/index.xml.gz`,
    ...files.map((n) => `uploads/${id}/${n}.xml.gz`),
  ]);
  const recent = await queryable.query<{ id: string; files: object[] }>(
    'SELECT upload_id AS id, files FROM recent_sitemaps WHERE upload_id IS NOT NULL',
  );
  const ofRecent = recent.rows.flatMap(({ id, files }) => [
    ...['listing.json', 'index.xml.gz', 'recent.state', 'changes.atom.gz'].map(
      (name) => `uploads/${id}/${name}`,
    ),
    ...files.map((_, i) => `uploads/${id}/${i + 1}.xml.gz`),
  ]);
  const packs = await queryable.query<{ key: string }>(
    "SELECT 'changed/' || domain_id || '/' || name || '.pack' AS key FROM changed_entries WHERE name IS NOT NULL",
  );
  const ofPacks = packs.rows.map(({ key }) => key);
  return [...new Set([...keys, ...ofHosts, ...ofNeeded, ...ofRecent, ...ofPacks])].sort();
}

/** A listing or an index: small ones are in site.json. */
const LISTING = /\/(?:listing\.json|index\.xml\.gz|index-\d+\.xml\.gz)$/;
const isListing = (key: string) => LISTING.test(key);

/**
 * Throws if the store lacks a `referenced` object, or has another one. Parts of the host directory are never removed.
 */
export function compareKeys(referenced: readonly string[], stored: readonly string[]): void {
  const missing = referenced.filter((key) => !stored.includes(key) && !isListing(key));
  const extra = stored.filter((key) => !referenced.includes(key) && !key.startsWith(HOSTS_PREFIX));
  if (missing.length > 0) throw new Error(`missing in the store: ${missing.join(' ')}`);
  if (extra.length > 0) throw new Error(`left in the store: ${extra.join(' ')}`);
}

/** Throws if the database has an upload that is neither live nor garbage. */
export async function checkRows(database: Database): Promise<void> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT id FROM uploads WHERE id NOT IN (SELECT upload_id FROM sitemaps) AND id NOT IN (${NEEDED})`,
  );
  if (rows.length > 0)
    throw new Error(`uploads that are not live are left: ${rows.map(({ id }) => id).join(' ')}`);
  if (!(await isAllCollected(database))) {
    const garbage = await database.query<{ prefix: string }>('SELECT prefix FROM garbage');
    throw new Error(`garbage is left: ${garbage.rows.map(({ prefix }) => prefix).join(' ')}`);
  }
}
