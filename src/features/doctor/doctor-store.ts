/**
 * The SQL of the doctor. The keys of all stored objects go into a temporary table, and Postgres compares them. This
 * process never holds more than a few thousand keys.
 */
import type { Queryable } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import type { ObjectDescription } from '../../platform/storage/object-storage.ts';
import { IS_SERVED } from '../domains/served-domain-store.ts';
import { IS_NEEDED, IS_UNREAD } from '../sites/due-garbage-store.ts';

export async function createObjectTable(session: Queryable): Promise<void> {
  await session.query('CREATE TEMPORARY TABLE stored_objects (key text NOT NULL, bytes bigint NOT NULL)');
}

export async function insertObjects(
  session: Queryable,
  objects: readonly Pick<ObjectDescription, 'key' | 'bytes'>[],
): Promise<void> {
  await session.query(
    'INSERT INTO stored_objects (key, bytes) SELECT * FROM unnest($1::text[], $2::bigint[])',
    [objects.map(({ key }) => key), objects.map(({ bytes }) => bytes)],
  );
}

/**
 * An object that is missing, is superfluous or has a wrong size in one snapshot. `changes` is a list of the URLs that an upload
 * changed. `batch` is a batch of URLs that wait to be submitted. `recent` is an object of the sitemap of recent changes.
 */
export interface Suspect {
  readonly kind: 'file' | 'changes' | 'batch' | 'recent' | 'extra';
  readonly key: string;
  /** The hostname of the domain. It is null for an extra object. */
  readonly hostname: string | null;
  /** The expected size in bytes; null if any size is right, or if the object is not expected at all. */
  readonly bytes: number | null;
}

/**
 * Compares the stored objects with those that the database refers to, for all hostnames or one. The comparison is one statement, so it sees
 * one snapshot. `features/sites/` defines the forms of the keys. An object in `garbage` is not extra. If site.json contains a listing or an
 * index, an older object of the same listing or index is not extra either.
 */
export async function createSuspectTable(session: Queryable, hostname: string | null): Promise<void> {
  await session.query('ANALYZE stored_objects');
  await session.query(
    `CREATE TEMPORARY TABLE suspects
       (kind text NOT NULL, key text NOT NULL, hostname text, bytes bigint, PRIMARY KEY (kind, key))`,
  );
  await session.query(
    `INSERT INTO suspects (kind, key, hostname, bytes)
     WITH live AS (
       SELECT d.hostname, 'uploads/' || u.id || '/' AS prefix, u.id, u.file_count, u.domain_id, u.sitemap_name
         FROM domains d JOIN sitemaps s ON s.domain_id = d.id JOIN uploads u ON u.id = s.upload_id
        WHERE $1::text IS NULL OR d.hostname = $1
     ), files AS (
       SELECT l.hostname, 'uploads/' || f.upload_id || '/' || f.upload_n || '.xml.gz' AS key, f.gzip_bytes AS bytes
         FROM live l JOIN sitemap_files f ON f.domain_id = l.domain_id AND f.sitemap_name = l.sitemap_name
        WHERE f.to_seq IS NULL
          AND NOT EXISTS (SELECT FROM small_files m WHERE m.upload_id = f.upload_id AND m.n = f.upload_n)
     ), changes AS (
       SELECT l.hostname, l.prefix || 'changes-' || n || '.ndjson.gz' AS key
         FROM live l JOIN comparisons c ON c.upload_id = l.id CROSS JOIN generate_series(1, c.parts) AS n
     ), batches AS (
       SELECT DISTINCT d.hostname, b.object AS key
         FROM indexnow_batches b JOIN domains d ON d.id = b.domain_id WHERE $1::text IS NULL OR d.hostname = $1
     ), versions AS (
       SELECT d.hostname, 'uploads/' || r.upload_id || '/' AS prefix, r.files, r.feed
         FROM recent_sitemaps r JOIN domains d ON d.id = r.domain_id
        WHERE r.upload_id IS NOT NULL AND ($1::text IS NULL OR d.hostname = $1)
     ), recent AS (
       SELECT hostname, prefix || f.n || '.xml.gz' AS key, (f.file ->> 'gzipBytes')::bigint AS bytes
         FROM versions CROSS JOIN json_array_elements(files) WITH ORDINALITY AS f (file, n)
       UNION ALL SELECT hostname, prefix || 'recent.state', NULL FROM versions
       UNION ALL SELECT hostname, prefix || 'changes.atom.gz', (feed ->> 'gzipBytes')::bigint
                   FROM versions WHERE feed IS NOT NULL
       UNION ALL SELECT d.hostname, 'changed/' || c.domain_id || '/' || c.name || '.pack', c.bytes
                   FROM changed_entries c JOIN domains d ON d.id = c.domain_id
                  WHERE c.name IS NOT NULL AND ($1::text IS NULL OR d.hostname = $1)
     ), referenced AS (
       SELECT key FROM files
       UNION ALL SELECT key FROM batches
       UNION ALL SELECT key FROM recent
       UNION ALL SELECT prefix || unnest(ARRAY['listing.json', 'index.xml.gz']) FROM versions
       UNION ALL SELECT prefix || 'listing.json' FROM live
       UNION ALL SELECT prefix || 'index.xml.gz' FROM live WHERE file_count > 1
       UNION ALL SELECT 'sites/' || hostname || unnest(ARRAY['/site.json', '/index-' || generation || '.xml.gz'])
                   FROM domains WHERE ${IS_SERVED}
       UNION ALL SELECT 'certificates/' || d.hostname || '.json'
                   FROM certificates c JOIN domains d ON d.id = c.domain_id
                  WHERE ${IS_SERVED} AND c.not_after > now()
       UNION ALL SELECT 'challenges/' || hostname || '.json' FROM certificates WHERE leased_until > now()
     )
     SELECT 'file', f.key, f.hostname, f.bytes
       FROM files f LEFT JOIN stored_objects o ON o.key = f.key WHERE o.bytes IS DISTINCT FROM f.bytes
     UNION ALL
     SELECT 'changes', c.key, c.hostname, NULL
       FROM changes c WHERE NOT EXISTS (SELECT FROM stored_objects o WHERE o.key = c.key)
     UNION ALL
     SELECT 'batch', b.key, b.hostname, NULL::bigint
       FROM batches b WHERE NOT EXISTS (SELECT FROM stored_objects o WHERE o.key = b.key)
     UNION ALL
     SELECT 'recent', r.key, r.hostname, r.bytes
       FROM recent r LEFT JOIN stored_objects o ON o.key = r.key
      WHERE o.bytes IS DISTINCT FROM coalesce(r.bytes, o.bytes, 0)
     UNION ALL
     SELECT DISTINCT 'extra', o.key, NULL, NULL::bigint
       FROM stored_objects o
      WHERE NOT EXISTS (SELECT FROM referenced r WHERE r.key = o.key)
        -- Hashes of files and indexes of URLs may be there or not. A comparison that is under way or broke off may have stored
        -- any number of lists of changes.
        AND NOT (o.key ~ '^uploads/[^/]+/([0-9]+[.]hashes|urls-[0-9A-Za-z]+[.]index|changes-[0-9]+[.]ndjson[.]gz)$'
                 AND EXISTS (SELECT FROM live l WHERE l.prefix = substring(o.key FROM '^uploads/[^/]+/')))
        AND NOT EXISTS (
              SELECT FROM garbage g
               WHERE g.prefix IN (substring(o.key FROM '^uploads/[^/]+/'), substring(o.key FROM '^uploads/[^/]+/[0-9]+[.]'),
                                  substring(o.key FROM '^sites/[^/]+/index-'),
                                  substring(o.key FROM '^rejects/[^/]+/[^/]+/'),
                                  substring(o.key FROM '^indexnow/[^/]+/'), substring(o.key FROM '^indexnow/[^/]+/[^/]+/'), o.key))`,
    [hostname],
  );
}

export function listSuspects(session: Queryable, kind: Suspect['kind'], after: string, limit: number) {
  return allRows<Suspect>(
    session,
    'SELECT kind, key, hostname, bytes FROM suspects WHERE kind = $1 AND key > $2 ORDER BY key LIMIT $3',
    [kind, after, limit],
  );
}

export async function isLiveUpload(queryable: Queryable, uploadId: string): Promise<boolean> {
  return hasRow(queryable, 'SELECT FROM sitemaps WHERE upload_id = $1', uploadId);
}

/** Whether a live sitemap has this file of an upload. After a delta or a stable placement, only some files of an upload may be live. */
export async function isLiveFile(queryable: Queryable, key: string): Promise<boolean> {
  return hasRow(
    queryable,
    `SELECT FROM sitemap_files f JOIN sitemaps s ON s.domain_id = f.domain_id AND s.name = f.sitemap_name
      WHERE f.upload_id = split_part($1, '/', 2) AND f.upload_n::text = split_part(split_part($1, '/', 3), '.', 1)
        AND f.to_seq IS NULL LIMIT 1`,
    key,
  );
}

/** Lists the uploads whose files live sitemaps use, in all domains of a hostname. */
export async function listUploadsOfLiveFiles(queryable: Queryable, hostname: string): Promise<string[]> {
  const { rows } = await queryable.query<{ id: string }>(
    `SELECT DISTINCT f.upload_id AS id
       FROM domains d JOIN sitemaps s ON s.domain_id = d.id
            JOIN sitemap_files f ON f.domain_id = s.domain_id AND f.sitemap_name = s.name
      WHERE d.hostname = $1 AND f.to_seq IS NULL`,
    [hostname],
  );
  return rows.map(({ id }) => id);
}

export async function listDomainIds(queryable: Queryable, hostname: string): Promise<string[]> {
  const { rows } = await queryable.query<{ id: string }>('SELECT id FROM domains WHERE hostname = $1', [
    hostname,
  ]);
  return rows.map(({ id }) => id);
}

export async function isWaitingBatch(queryable: Queryable, object: string): Promise<boolean> {
  return hasRow(queryable, 'SELECT FROM indexnow_batches WHERE object = $1 LIMIT 1', object);
}

/** Whether the object belongs to a sitemap of recent changes: to its present version, or as a pack. */
export async function isOfRecent(queryable: Queryable, key: string): Promise<boolean> {
  return hasRow(
    queryable,
    `SELECT FROM recent_sitemaps WHERE upload_id = split_part($1, '/', 2)
      UNION ALL
     SELECT FROM changed_entries WHERE domain_id = split_part($1, '/', 2) AND name || '.pack' = split_part($1, '/', 3)`,
    key,
  );
}

/** Lists the uploads with the objects of recent changes, in all domains of a hostname. */
export async function listRecentUploads(queryable: Queryable, hostname: string): Promise<string[]> {
  const { rows } = await queryable.query<{ id: string }>(
    `SELECT r.upload_id AS id FROM recent_sitemaps r JOIN domains d ON d.id = r.domain_id
      WHERE d.hostname = $1 AND r.upload_id IS NOT NULL`,
    [hostname],
  );
  return rows.map(({ id }) => id);
}

/** Whether a certificate for the hostname is being issued at the moment. */
export async function isIssuing(queryable: Queryable, hostname: string): Promise<boolean> {
  return hasRow(queryable, 'SELECT FROM certificates WHERE hostname = $1 AND leased_until > now()', hostname);
}

/** An upload that a sitemap points to, according to the database. */
export interface LiveUpload {
  readonly id: string;
  readonly files: number;
  readonly bytes: number;
  readonly gzipBytes: number;
}

export function listLiveUploads(
  queryable: Queryable,
  of: { readonly domainId: string } | { readonly hostname: string },
): Promise<LiveUpload[]> {
  const [column, value] = 'domainId' in of ? ['d.id', of.domainId] : ['d.hostname', of.hostname];
  return allRows<LiveUpload>(
    queryable,
    `SELECT u.id, u.file_count AS files, u.bytes, u.gzip_bytes AS "gzipBytes"
       FROM domains d JOIN sitemaps s ON s.domain_id = d.id JOIN uploads u ON u.id = s.upload_id
      WHERE ${column} = $1 ORDER BY u.id`,
    [value],
  );
}

/** Lists at most `limit` prefixes of garbage that have been due for over an hour and that nothing needs any more, the oldest first. */
export async function listOverdueGarbage(queryable: Queryable, limit: number): Promise<string[]> {
  const { rows } = await queryable.query<{ prefix: string }>(
    // After an upgrade, a backfill lists the garbage from before the upgrade. The collector finds that garbage only after the backfill.
    `SELECT prefix FROM due_garbage JOIN garbage USING (prefix, collect_after)
      WHERE collect_after < now() - interval '1 hour' AND ${IS_UNREAD} AND NOT ${IS_NEEDED}
        AND EXISTS (SELECT FROM backfills WHERE name = 'garbage.due' AND done_at < now() - interval '1 hour')
      ORDER BY collect_after, prefix LIMIT $1`,
    [limit],
  );
  return rows.map(({ prefix }) => prefix);
}

/**
 * Returns the SHA-256 digests, in hex, of the small files of uploads. A key is upload and number, such as upload_1/7.
 */
export async function listSmallDigests(
  queryable: Queryable,
  uploadIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await queryable.query<{ file: string; digest: string }>(
    `SELECT upload_id || '/' || n AS file, encode(sha256(content), 'hex') AS digest
       FROM small_files WHERE upload_id = ANY($1)`,
    [uploadIds],
  );
  return new Map(rows.map(({ file, digest }) => [file, digest]));
}

/** Whether the domain has a row in `certificates`, or waits for the backfill that inserts the row. */
export async function isCertificateAsked(queryable: Queryable, domainId: string): Promise<boolean> {
  return hasRow(
    queryable,
    `SELECT FROM certificates WHERE domain_id = $1
      UNION ALL SELECT FROM backfills WHERE name = 'certificates.missing' AND done_at IS NULL`,
    domainId,
  );
}

async function hasRow(queryable: Queryable, text: string, value: string): Promise<boolean> {
  const { rowCount } = await queryable.query(text, [value]);
  return rowCount !== 0;
}
