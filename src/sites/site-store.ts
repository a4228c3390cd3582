/** The SQL behind the writing of sites, for many of them at once. */
import type { Sealed } from '../platform/key-ring.ts';
import { type Queryable, slowStatement, type Transaction } from '../platform/postgres/database.ts';
import { filesOf, MOST_GENERATIONS } from './garbage-store.ts';
import { SMALL_FILE_BYTES } from './small-files.ts';

export interface LiveSitemap {
  readonly name: string;
  readonly uploadId: string;
  /** File n is at n - 1. */
  readonly files: readonly SitemapFile[];
}

export interface SitemapFile {
  /** File `uploadN` of this upload. Another one than the sitemap's after a rollback. */
  readonly fileUploadId: string;
  readonly uploadN: number;
  readonly entries: number;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly etag: string;
  readonly lastModified: Date;
  /** Its bytes are in `small_files`, not in an object. */
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

/** Does the same for many sites, except for those that have another writer. Returns the locked ones. */
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

/** Excludes other writers of shards of the host directory. Lock order: sites first, then shards in ascending order. */
export async function lockHosts(transaction: Transaction, shards: readonly number[]): Promise<void> {
  await transaction.query(
    slowStatement(
      `SELECT pg_advisory_xact_lock(hashtextextended('hosts ' || shard, 0)) FROM unnest($1::text[]) AS shard`,
      [shards.toSorted((a, b) => a - b).map(String)],
    ),
  );
}

const FILE = `f.upload_id AS "fileUploadId", f.upload_n AS "uploadN", f.entries, f.bytes, f.gzip_bytes AS "gzipBytes",
  f.etag, f.last_modified AS "lastModified", m.n IS NOT NULL AS "isSmall"`;
const SMALL = `LEFT JOIN small_files m
  ON f.gzip_bytes <= ${SMALL_FILE_BYTES} AND m.upload_id = f.upload_id AND m.n = f.upload_n`;

/** By domain. Sorted by name, each with its files in order. One statement, so the result is one snapshot. */
export async function listLiveSitemaps(
  queryable: Queryable,
  domainIds: readonly string[],
): Promise<Map<string, LiveSitemap[]>> {
  const { rows } = await queryable.query<SitemapFile & { domainId: string; name: string; uploadId: string }>(
    slowStatement(
      `SELECT s.domain_id AS "domainId", s.name, s.upload_id AS "uploadId", ${FILE}
         FROM sitemaps s JOIN sitemap_files f ON f.domain_id = s.domain_id AND f.sitemap_name = s.name ${SMALL}
        WHERE s.domain_id = ANY($1) AND f.to_seq IS NULL ORDER BY s.domain_id, s.name COLLATE "C", f.n`,
      [domainIds],
      'list-live-sitemaps',
    ),
  );
  const byDomain = new Map<string, (LiveSitemap & { files: SitemapFile[] })[]>();
  for (const { domainId, name, uploadId, ...file } of rows) {
    const sitemaps = byDomain.get(domainId) ?? [];
    if (sitemaps.length === 0) byDomain.set(domainId, sitemaps);
    if (sitemaps.at(-1)?.uploadId !== uploadId) sitemaps.push({ name, uploadId, files: [] });
    sitemaps.at(-1)!.files.push(file);
  }
  return byDomain;
}

/** The files of an upload that may be replaced, in order. */
export async function listFilesOfUpload(queryable: Queryable, uploadId: string): Promise<SitemapFile[]> {
  const { rows } = await queryable.query<SitemapFile>(
    slowStatement(
      `SELECT ${FILE}
         FROM uploads u JOIN sitemap_files f ON f.domain_id = u.domain_id AND f.sitemap_name = u.sitemap_name ${SMALL}
        WHERE u.id = $1 AND ${filesOf('u.seq')} ORDER BY f.n`,
      [uploadId],
    ),
  );
  return rows;
}

export interface SiteCertificate {
  readonly chain: string;
  readonly key: Sealed;
  readonly notAfter: Date;
}

/** The valid certificates of domains. */
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

/** By domain: uploads that were replaced less than `keepMs` ago and are kept, newest first. */
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
      -- A group replaces several generations of a sitemap at one time.
      ORDER BY u.replaced_at DESC, u.seq DESC`,
    [domainIds, keepMs, MOST_GENERATIONS],
  );
  return Map.groupBy(rows, ({ domainId }) => domainId);
}
