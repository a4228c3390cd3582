/** The SQL that writers of sites use, for many sites at once. */
import type { Sealed } from '../../platform/key-ring.ts';
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { filesOf, MOST_GENERATIONS } from './garbage-store.ts';
import { SMALL_FILE_BYTES } from './small-files.ts';

export interface LiveSitemap {
  readonly name: string;
  readonly uploadId: string;
  readonly publishedAt: Date;
  /** File n has the index n - 1. */
  readonly files: readonly SitemapFile[];
}

export interface SitemapFile {
  /**
   * The upload whose file `uploadN` has the bytes. This may be another upload than that of the sitemap, for example after a rollback or a
   * delta.
   */
  readonly fileUploadId: string;
  readonly uploadN: number;
  readonly entries: number;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly etag: string;
  readonly lastModified: Date;
  /** Whether its bytes are in `small_files` and not in an object. */
  readonly isSmall: boolean;
}

const SITE_LOCK = `hashtextextended('site ' || hostname, 0)`;

/** Excludes other writers of the site, in all processes, until the transaction ends. */
export async function lockSite(transaction: Transaction, hostname: string): Promise<void> {
  await transaction.query(
    slowStatement(`SELECT pg_advisory_xact_lock(${SITE_LOCK}) FROM (SELECT $1::text AS hostname) AS site`, [
      hostname,
    ]),
  );
}

/** Locks many sites as `lockSite` does, but skips sites that have another writer. Returns the hostnames of the locked sites. */
export async function tryLockSites(
  transaction: Transaction,
  hostnames: readonly string[],
): Promise<string[]> {
  const { rows } = await transaction.query<{ hostname: string; isLocked: boolean }>({
    name: 'try-lock-sites',
    text: `SELECT hostname, pg_try_advisory_xact_lock(${SITE_LOCK}) AS "isLocked" FROM unnest($1::text[]) AS hostname`,
    values: [hostnames],
  });
  return rows.filter(({ isLocked }) => isLocked).map(({ hostname }) => hostname);
}

/** Excludes other writers of shards of the host directory. Lock sites before shards. This function locks shards in ascending order. */
export async function lockHosts(transaction: Transaction, shards: readonly number[]): Promise<void> {
  await transaction.query(
    slowStatement(
      `SELECT pg_advisory_xact_lock(hashtextextended('hosts ' || shard, 0)) FROM unnest($1::text[]) AS shard`,
      [shards.toSorted((a, b) => a - b).map(String)],
    ),
  );
}

/** The columns of a file. `f` is a row of `sitemap_files`, and `SMALL` joins the row `m` of `small_files`. */
export const FILE = `f.upload_id AS "fileUploadId", f.upload_n AS "uploadN", f.entries, f.bytes, f.gzip_bytes AS "gzipBytes",
  f.etag, f.last_modified AS "lastModified", m.n IS NOT NULL AS "isSmall"`;
export const SMALL = `LEFT JOIN small_files m
  ON f.gzip_bytes <= ${SMALL_FILE_BYTES} AND m.upload_id = f.upload_id AND m.n = f.upload_n`;

/**
 * Lists the live sitemaps of each domain, sorted by name and with their files in order. One statement reads all sitemaps, so the result is
 * one snapshot.
 */
export async function listLiveSitemaps(
  queryable: Queryable,
  domainIds: readonly string[],
): Promise<Map<string, LiveSitemap[]>> {
  if (domainIds.length === 0) return new Map();
  const { rows } = await queryable.query<NamedFile & { domainId: string }>(
    slowStatement(
      `SELECT s.domain_id AS "domainId", s.name, s.upload_id AS "uploadId", u.published_at AS "publishedAt", ${FILE}
         FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
              JOIN sitemap_files f ON f.domain_id = s.domain_id AND f.sitemap_name = s.name ${SMALL}
        WHERE s.domain_id = ANY($1) AND f.to_seq IS NULL ORDER BY s.domain_id, s.name COLLATE "C", f.n`,
      [domainIds],
      'list-live-sitemaps',
    ),
  );
  const byDomain = Map.groupBy(rows, ({ domainId }) => domainId);
  return new Map([...byDomain].map(([domainId, files]) => [domainId, sitemapsOf(files)]));
}

/** A file, and the sitemap that has it. */
export type NamedFile = SitemapFile & Omit<LiveSitemap, 'files'>;

/** Groups files into their sitemaps. `files` are sorted by sitemap, and by number within a sitemap. */
export function sitemapsOf(files: readonly NamedFile[]): LiveSitemap[] {
  const sitemaps: (LiveSitemap & { files: SitemapFile[] })[] = [];
  for (const { name, uploadId, publishedAt, ...file } of files) {
    if (sitemaps.at(-1)?.uploadId !== uploadId) sitemaps.push({ name, uploadId, publishedAt, files: [] });
    sitemaps.at(-1)!.files.push(file);
  }
  return sitemaps;
}

/** Finds the sitemap of an upload, which may be a replaced one. Undefined if no file of the upload is kept. */
export async function findSitemapOfUpload(
  queryable: Queryable,
  uploadId: string,
): Promise<LiveSitemap | undefined> {
  const { rows } = await queryable.query<NamedFile>(
    slowStatement(
      `SELECT u.sitemap_name AS name, u.id AS "uploadId", u.published_at AS "publishedAt", ${FILE}
         FROM uploads u JOIN sitemap_files f ON f.domain_id = u.domain_id AND f.sitemap_name = u.sitemap_name ${SMALL}
        WHERE u.id = $1 AND ${filesOf('u.seq')} ORDER BY f.n`,
      [uploadId],
    ),
  );
  return sitemapsOf(rows)[0];
}

export interface SiteCertificate {
  readonly chain: string;
  readonly key: Sealed;
  readonly notAfter: Date;
}

export async function findSiteCertificates(
  queryable: Queryable,
  domainIds: readonly string[],
): Promise<Map<string, SiteCertificate>> {
  const { rows } = await queryable.query<SiteCertificate & { domainId: string }>({
    name: 'find-site-certificates',
    text: `SELECT domain_id AS "domainId", chain, key, not_after AS "notAfter" FROM certificates
              WHERE domain_id = ANY($1) AND not_after > now()`,
    values: [domainIds],
  });
  return new Map(rows.map(({ domainId, ...certificate }) => [domainId, certificate]));
}

export interface FormerUpload {
  readonly sitemapName: string;
  readonly uploadId: string;
  readonly fileCount: number;
  readonly replacedAt: Date;
}

/** Lists kept uploads of each domain that were replaced less than `keepMs` ago, the newest first. */
export async function listFormerUploads(
  queryable: Queryable,
  domainIds: readonly string[],
  keepMs: number,
): Promise<Map<string, FormerUpload[]>> {
  if (domainIds.length === 0) return new Map();
  const { rows } = await queryable.query<FormerUpload & { domainId: string }>(
    `SELECT u.domain_id AS "domainId", u.sitemap_name AS "sitemapName", u.id AS "uploadId",
            u.file_count AS "fileCount", u.replaced_at AS "replacedAt"
       FROM uploads u JOIN sitemaps s ON s.domain_id = u.domain_id AND s.name = u.sitemap_name
            JOIN uploads live ON live.id = s.upload_id
      WHERE u.domain_id = ANY($1) AND u.replaced_at > now() - $2 * interval '1 millisecond' AND NOT u.withdrawn
        AND u.seq > live.seq - $3
      -- A group may replace several generations of a sitemap at the same time, so seq decides their order.
      ORDER BY u.replaced_at DESC, u.seq DESC`,
    [domainIds, keepMs, MOST_GENERATIONS],
  );
  return Map.groupBy(rows, ({ domainId }) => domainId);
}
