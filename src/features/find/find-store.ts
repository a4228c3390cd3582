/** The SQL of look-ups: the indexes of the sitemaps of a scope, their files without an index, and the addresses of found files. */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import type { IndexedFile, UrlIndex } from './index-store.ts';

/** The sitemaps that a look-up covers: all sitemaps of an account, or only those of some domains or with some names. */
export interface FindScope {
  readonly accountId: string;
  /** Null: all domains. */
  readonly domainIds: readonly string[] | null;
  /** The unnamed sitemap has the empty name. Null: all names. */
  readonly sitemapNames: readonly string[] | null;
}

export interface Searched {
  /** The digest of the ids of the live uploads. If it is the same after a look-up, nothing was published meanwhile. */
  readonly state: string;
  readonly sitemaps: number;
  /** The number of sitemaps beyond `limits`, which are left out. */
  readonly sitemapsLeft: number;
  readonly indexes: readonly UrlIndex[];
  /** Files without an index, small ones first. */
  readonly files: readonly IndexedFile[];
  /** The number of files that `files` leaves out, because they exceed the limits of `findSearched`. */
  readonly filesLeft: number;
}

export interface FindLimits {
  readonly sitemaps: number;
  /** The most files without an index that are read, and the most bytes of their XML. */
  readonly files: number;
  readonly bytes: number;
}

const SITEMAP = `
  wanted AS MATERIALIZED (
    SELECT s.domain_id, s.name, s.upload_id, row_number() OVER (ORDER BY d.position, s.name) AS place
      FROM domains d JOIN sitemaps s ON s.domain_id = d.id
     WHERE d.account_id = $1 AND ($2::text[] IS NULL OR d.id = ANY($2)) AND ($3::text[] IS NULL OR s.name = ANY($3))
  ), sitemap AS MATERIALIZED (
    SELECT domain_id, name FROM wanted WHERE place <= $4
  ), state AS (
    SELECT md5(coalesce(string_agg(upload_id, ',' ORDER BY place), '')) AS text, count(*) AS sitemaps FROM wanted
  )`;

const valuesOf = ({ accountId, domainIds, sitemapNames }: FindScope) => [accountId, domainIds, sitemapNames];

/** Returns the indexes, and the files without an index. One statement reads indexes and files, so they are of one snapshot. */
export async function findSearched(
  queryable: Queryable,
  scope: FindScope,
  limits: FindLimits,
): Promise<Searched> {
  type Row = { kind: string; text: string; name: string; a: number; b: number; c: number };
  const { rows } = await queryable.query<Row>(
    slowStatement(
      `WITH ${SITEMAP}, live AS MATERIALIZED (
         SELECT f.upload_id, f.upload_n, f.entries, f.bytes
           FROM sitemap t JOIN sitemap_files f ON f.domain_id = t.domain_id AND f.sitemap_name = t.name AND f.to_seq IS NULL
       ), named AS MATERIALIZED (
         SELECT i.* FROM url_indexes i WHERE i.upload_id IN (SELECT upload_id FROM live)
       ), indexed AS MATERIALIZED (
         SELECT upload_id, unnest(files) AS upload_n FROM named
       ), bare AS MATERIALIZED (
         SELECT l.*, sum(bytes) OVER (ORDER BY bytes, upload_id, upload_n) AS sum,
                row_number() OVER (ORDER BY bytes, upload_id, upload_n) AS place
           FROM live l
          WHERE NOT EXISTS (SELECT FROM indexed i WHERE i.upload_id = l.upload_id AND i.upload_n = l.upload_n)
       )
       SELECT 'state' AS kind, text, '' AS name, sitemaps AS a, 0 AS b, 0 AS c FROM state
       UNION ALL SELECT 'index', upload_id, name, head_bytes, 0, 0 FROM named
       UNION ALL SELECT 'left', '', '', count(*), 0, 0 FROM bare WHERE place > $5 OR sum > $6
       UNION ALL (SELECT 'file', upload_id, '', upload_n, entries, bytes FROM bare
                   WHERE place <= $5 AND sum <= $6 ORDER BY place)`,
      [...valuesOf(scope), limits.sitemaps, limits.files, limits.bytes],
    ),
  );
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  const state = of('state')[0]!;
  return {
    state: state.text,
    sitemaps: state.a,
    sitemapsLeft: Math.max(0, state.a - limits.sitemaps),
    filesLeft: of('left')[0]!.a,
    indexes: of('index').map(({ text, name, a }) => ({ uploadId: text, name, headBytes: a })),
    files: of('file').map(({ text, a, b, c }) => ({ uploadId: text, uploadN: a, entries: b, bytes: c })),
  };
}

/** Returns the digest that `findSearched` returns as `state`. */
export async function findState(queryable: Queryable, scope: FindScope, limits: FindLimits): Promise<string> {
  const { rows } = await queryable.query<{ text: string }>(
    slowStatement(`WITH ${SITEMAP} SELECT text FROM state`, [...valuesOf(scope), limits.sitemaps]),
  );
  return rows[0]!.text;
}

/** Lists the live files of an index, small files first. */
export function listIndexedFiles(queryable: Queryable, { uploadId, name }: UrlIndex) {
  return allRows<IndexedFile>(
    queryable,
    slowStatement(
      `SELECT DISTINCT f.upload_id AS "uploadId", f.upload_n AS "uploadN", f.entries, f.bytes
         FROM url_indexes i JOIN sitemap_files f ON f.upload_id = i.upload_id AND f.upload_n = ANY(i.files)
        WHERE i.upload_id = $1 AND i.name = $2 AND f.to_seq IS NULL
        ORDER BY f.bytes`,
      [uploadId, name],
    ),
  );
}

export interface PublishedFile extends IndexedFile {
  readonly domainId: string;
  readonly liveUploadId: string;
  readonly hostname: string;
  readonly isSecure: boolean;
  readonly sitemapName: string;
  readonly generation: number;
  /** The number of the file in its sitemap. */
  readonly n: number;
  readonly fileCount: number;
  readonly lastModified: Date;
}

const LIVE =
  'JOIN sitemap_files f ON f.upload_id = wanted.upload_id AND f.upload_n = wanted.upload_n AND f.to_seq IS NULL';
/** The last row of each file. */
const LATEST = `CROSS JOIN LATERAL (
  SELECT * FROM sitemap_files WHERE upload_id = wanted.upload_id AND upload_n = wanted.upload_n
   ORDER BY to_seq DESC NULLS FIRST LIMIT 1) f`;

/**
 * Finds where files are published in the scope. Leaves out files that are not live. With `orWere`, also returns where replaced files were.
 */
export async function listPublished(
  queryable: Queryable,
  scope: FindScope,
  files: readonly Pick<IndexedFile, 'uploadId' | 'uploadN'>[],
  orWere = false,
): Promise<PublishedFile[]> {
  if (files.length === 0) return [];
  return allRows<PublishedFile>(
    queryable,
    slowStatement(
      `SELECT f.upload_id AS "uploadId", f.upload_n AS "uploadN", f.entries, f.bytes, d.hostname, d.id AS "domainId",
              s.upload_id AS "liveUploadId", d.ssl_status = 'active' AS "isSecure", s.name AS "sitemapName", u.seq AS generation, f.n,
              u.file_count AS "fileCount", f.last_modified AS "lastModified"
         FROM (SELECT * FROM unnest($4::text[], $5::integer[]) AS t (upload_id, upload_n)) wanted
              ${orWere ? LATEST : LIVE}
              JOIN sitemaps s ON s.domain_id = f.domain_id AND s.name = f.sitemap_name
              JOIN uploads u ON u.id = s.upload_id
              JOIN domains d ON d.id = s.domain_id
        WHERE d.account_id = $1 AND ($2::text[] IS NULL OR d.id = ANY($2)) AND ($3::text[] IS NULL OR s.name = ANY($3))
        ORDER BY d.position, s.name COLLATE "C", f.n`,
      [...valuesOf(scope), files.map((file) => file.uploadId), files.map((file) => file.uploadN)],
    ),
  );
}
