/** Reads all state that a publication changes, so that two moments can be compared. */
import { partFileName, sitemapFileName } from '../../../src/core/sitemap/file-names.ts';
import { HOSTS_PREFIX } from '../../../src/features/sites/host-directory.ts';
import { sumUploadDays } from '../../../src/features/uploads/upload-day-store.ts';
import { readXml } from '../../sitemap/read-xml.ts';
import { collect } from '../../support/collect.ts';
import type { World } from './world.ts';

/** The rows of sitemaps, and the answers that crawlers get. Equal by value if nothing was published. */
export async function readPublished(world: World, sitemapNames: readonly string[]) {
  const { rows } = await world.database.query<{ name: string; files: number[] }>(
    `SELECT s.name, to_jsonb(s) - 'confirmed_at' AS sitemap, to_jsonb(u) AS upload,
            ARRAY(SELECT f.n FROM sitemap_files f WHERE f.domain_id = s.domain_id AND f.sitemap_name = s.name
                   AND f.to_seq IS NULL ORDER BY f.n) AS files,
            ARRAY(SELECT to_jsonb(f) FROM sitemap_files f WHERE f.domain_id = s.domain_id AND f.sitemap_name = s.name
                   ORDER BY f.from_seq, f.n) AS file_rows,
            ARRAY(SELECT to_jsonb(m) FROM small_files m JOIN uploads of ON of.id = m.upload_id
                   WHERE of.domain_id = s.domain_id AND of.sitemap_name = s.name ORDER BY m.upload_id, m.n) AS small_files,
            ARRAY(SELECT to_jsonb(c) FROM comparisons c JOIN uploads of ON of.id = c.upload_id
                   WHERE of.domain_id = s.domain_id AND of.sitemap_name = s.name ORDER BY c.upload_id) AS comparisons,
            (SELECT count(*) FROM indexnow_submissions i WHERE i.sitemap_name = s.name) AS submissions
       FROM sitemaps s JOIN uploads u ON u.id = s.upload_id WHERE s.name = ANY ($1) ORDER BY s.name`,
    [sitemapNames],
  );
  const paths = rows.flatMap(({ name, files }) => [
    `/${sitemapFileName(name)}`,
    ...(files.length > 1 ? files.map((n) => `/${partFileName(name, n)}`) : []),
  ]);
  const served = await Promise.all(paths.map((path) => readFile(world, path)));
  return { rows, served, named: await readNamed(world, paths) };
}

async function readFile(world: World, path: string) {
  const { status, headers, body } = await world.fetch(path);
  // No Last-Modified: it changes a minute after the publication. The index has the times.
  return { path, status, etag: headers.etag, text: String(body) };
}

/** Returns the lines about these files in the domain's index. */
async function readNamed(world: World, paths: readonly string[]): Promise<string[]> {
  const { body } = await world.fetch('/sitemap-index.xml');
  const named = readXml(String(body)).children.map(({ children }) => children.map(({ text }) => text));
  return named.filter(([loc = '']) => paths.includes(new URL(loc).pathname)).map(String);
}

/**
 * The generation of the domain, its outbox, and all objects with their times. Any publication in the domain changes it. The
 * host directory is left out, because jobs write it at any time.
 */
export async function readSite({ database, storage }: World) {
  const { rows } = await database.query(
    `SELECT generation, stored_bytes, sitemap_count, url_count, file_count, (SELECT count(*) FROM site_changes) AS due,
            (SELECT count(*) FROM indexnow_batches) AS batches, (SELECT count(*) FROM indexnow_submissions) AS submissions
       FROM domains`,
  );
  const objects = await collect(storage.list(''));
  const own = objects.filter(({ key }) => !key.startsWith(HOSTS_PREFIX));
  return { rows, objects: own.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

export interface Recorded {
  /** The ids of attempts that found a sitemap unchanged. */
  readonly unchanged: readonly string[];
  readonly published: number;
  /** Null if no upload was like the live one. */
  readonly confirmedAt: Date | null;
}

/** Returns the records of the attempts of a sitemap, all of one moment. */
export async function readRecorded({ database }: World, sitemapName: string): Promise<Recorded> {
  const { rows } = await database.query<Recorded>(
    `SELECT ARRAY(SELECT a.id FROM attempts a WHERE a.sitemap_name = s.name AND a.outcome = 'unchanged') AS unchanged,
            (SELECT count(*) FROM attempts a WHERE a.sitemap_name = s.name AND a.outcome = 'published') AS published,
            s.confirmed_at AS "confirmedAt"
       FROM sitemaps s WHERE s.name = $1`,
    [sitemapName],
  );
  return rows[0]!;
}

/** The unchanged uploads of the last days, as customers see them. */
export async function sumUnchanged({ database }: World): Promise<number> {
  const { rows } = await database.query<{ account: string }>('SELECT account_id AS account FROM domains');
  // Midnight may have passed.
  const days = await sumUploadDays(database, rows[0]!.account, undefined, 2);
  return days.reduce((sum, { unchanged }) => sum + unchanged, 0);
}
