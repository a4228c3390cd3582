/** The SQL of the files of a sitemap: of the live generation, and of any other generation. */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';
import { filesOf } from '../sites/garbage-store.ts';
import type { SitemapKey } from './upload-store.ts';

export interface LiveFile {
  readonly n: number;
  readonly fileCount: number;
  readonly urlCount: number;
  /** The length of the XML. */
  readonly bytes: number;
  /** The length of the file as stored. */
  readonly gzipBytes: number;
  readonly changedAt: Date;
}

/** The place of a live file: it is file `n` of the upload `uploadId`. */
export interface StoredUrls {
  readonly uploadId: string;
  readonly n: number;
  /** The length of the XML. */
  readonly bytes: number;
}

/** File `n` of a generation. It is file `uploadN` of the upload `uploadId`. */
export interface GenerationFile {
  readonly n: number;
  readonly entries: number;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly etag: string;
  readonly uploadId: string;
  readonly uploadN: number;
}

export function listFilesOfGeneration(
  queryable: Queryable,
  { domainId, sitemapName, seq }: SitemapKey & { readonly seq: number },
) {
  return allRows<GenerationFile>(
    queryable,
    slowStatement(
      `SELECT f.n, f.entries, f.bytes, f.gzip_bytes AS "gzipBytes", f.etag, f.upload_id AS "uploadId",
              f.upload_n AS "uploadN"
         FROM sitemap_files f
        WHERE f.domain_id = $1 AND f.sitemap_name = $2 AND ${filesOf('$3::integer')} ORDER BY f.n`,
      [domainId, sitemapName, seq],
    ),
  );
}

const LIVE_FILES = `
  FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
       JOIN sitemap_files f ON f.domain_id = s.domain_id AND f.sitemap_name = s.name AND f.to_seq IS NULL
 WHERE s.domain_id = $1 AND s.name = $2`;

/** Lists the first `limit` files with a number above `after`, in their order. */
export function listLiveFiles(
  queryable: Queryable,
  { domainId, sitemapName }: SitemapKey,
  limit: number,
  after: number,
) {
  return allRows<LiveFile>(
    queryable,
    `SELECT f.n, u.file_count AS "fileCount", f.entries AS "urlCount", f.bytes, f.gzip_bytes AS "gzipBytes",
            f.last_modified AS "changedAt" ${LIVE_FILES} AND f.n > $4 ORDER BY f.n LIMIT $3`,
    [domainId, sitemapName, limit, after],
  );
}

/** Returns undefined if the sitemap has no file `n`. */
export function findStoredUrls(queryable: Queryable, { domainId, sitemapName }: SitemapKey, n: number) {
  return firstRow<StoredUrls>(
    queryable,
    `SELECT f.upload_id AS "uploadId", f.upload_n AS n, f.bytes ${LIVE_FILES} AND f.n = $3`,
    [domainId, sitemapName, n],
  );
}
