/** The SQL of the past of a URL: the recorded changes of generations, the counts of URLs by origin, and the last visits to a file. */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import { IS_KEPT } from '../sites/garbage-store.ts';
import type { FindScope } from './find-store.ts';

/** The most generations of a sitemap whose changes are read. */
const MOST_GENERATIONS = 30;
/** The most sitemaps whose removals are read for a URL that is in no sitemap. */
const MOST_SITEMAPS = 200;
const MOST_VISITS = 10;

/** A recorded comparison of a generation with an earlier one. */
export interface RecordedChanges {
  readonly uploadId: string;
  readonly formerUploadId: string | null;
  readonly domainId: string;
  readonly hostname: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly generation: number;
  readonly publishedAt: Date;
  /** The name of the key or person that published the generation. Null: unknown, or no longer kept. */
  readonly by: string | null;
  readonly state: 'compared' | 'first' | 'unknown' | 'rewritten';
  readonly urlCount: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** The gzip bytes of the list of changes if it is in the row of the comparison, otherwise 0. */
  readonly listBytes: number;
  /** The number of objects of the list of changes. */
  readonly parts: number;
  /** The former generation of the comparison. Null: the former generation has no row any more. */
  readonly formerGeneration: number | null;
  readonly isFormerKept: boolean;
}

const COLUMNS = `
  u.id AS "uploadId", c.former_upload_id AS "formerUploadId", u.domain_id AS "domainId", d.hostname,
  u.sitemap_name AS "sitemapName", u.seq AS generation, u.published_at AS "publishedAt", coalesce(k.name, p.name) AS by,
  c.state, u.url_count AS "urlCount", c.added, c.changed, c.removed, coalesce(octet_length(c.list), 0) AS "listBytes", c.parts,
  f.seq AS "formerGeneration", f.is_kept IS TRUE AS "isFormerKept"`;

const JOINS = `
  JOIN comparisons c ON c.upload_id = u.id
  JOIN domains d ON d.id = u.domain_id
  LEFT JOIN LATERAL (SELECT seq, ${IS_KEPT} AS is_kept FROM uploads u WHERE u.id = c.former_upload_id) f ON true
  LEFT JOIN attempts a ON a.id = u.id LEFT JOIN api_keys k ON k.id = a.key_id LEFT JOIN users p ON p.id = a.user_id`;

/** Lists the recorded changes of a sitemap, the newest first. */
export function listRecordedChanges(
  queryable: Queryable,
  { domainId, sitemapName }: { readonly domainId: string; readonly sitemapName: string },
) {
  return allRows<RecordedChanges>(
    queryable,
    `SELECT ${COLUMNS}
       FROM (SELECT * FROM uploads WHERE domain_id = $1 AND sitemap_name = $2 ORDER BY seq DESC LIMIT ${MOST_GENERATIONS}) u
            ${JOINS}
      ORDER BY u.seq DESC`,
    [domainId, sitemapName],
  );
}

/**
 * Lists the recorded changes of the scope that removed URLs, or are not known, the newest first. Leaves out generations of a deleted
 * sitemap whose name a new sitemap has: a URL that they removed may have come back before the deletion.
 */
export function listRemovals(queryable: Queryable, { accountId, domainIds, sitemapNames }: FindScope) {
  return allRows<RecordedChanges>(
    queryable,
    slowStatement(
      `SELECT ${COLUMNS}
         FROM (SELECT s.domain_id, s.name FROM domains d JOIN sitemaps s ON s.domain_id = d.id
                WHERE d.account_id = $1 AND ($2::text[] IS NULL OR d.id = ANY($2))
                  AND ($3::text[] IS NULL OR s.name = ANY($3))
                ORDER BY s.updated_at DESC LIMIT ${MOST_SITEMAPS}) s
              CROSS JOIN LATERAL (SELECT * FROM uploads WHERE domain_id = s.domain_id AND sitemap_name = s.name
                                   ORDER BY seq DESC LIMIT ${MOST_GENERATIONS}) u
              ${JOINS}
        WHERE (c.removed > 0 OR c.state <> 'compared') AND NOT u.withdrawn
        ORDER BY u.published_at DESC, u.seq DESC`,
      [accountId, domainIds, sitemapNames],
    ),
  );
}

/** Returns the small lists of changes of uploads as gzip, by upload. */
export async function readSmallLists(
  queryable: Queryable,
  uploadIds: readonly string[],
): Promise<Map<string, Buffer>> {
  const { rows } = await queryable.query<{ id: string; list: Buffer }>(
    slowStatement(
      'SELECT upload_id AS id, list FROM comparisons WHERE upload_id = ANY($1) AND list IS NOT NULL',
      [uploadIds],
    ),
  );
  return new Map(rows.map(({ id, list }) => [id, list]));
}

/** Counts the URLs of an origin in the scope. A sitemap has counts of its most frequent origins only. */
export async function countOrigin(
  queryable: Queryable,
  { accountId, domainIds, sitemapNames }: FindScope,
  origin: string,
): Promise<number> {
  const { rows } = await queryable.query<{ urls: number }>(
    `SELECT coalesce(sum(c.url_count), 0)::bigint AS urls
       FROM domains d JOIN page_url_counts c ON c.domain_id = d.id
      WHERE d.account_id = $1 AND c.origin = $4 AND ($2::text[] IS NULL OR d.id = ANY($2)) AND ($3::text[] IS NULL OR c.sitemap_name = ANY($3))`,
    [accountId, domainIds, sitemapNames, origin],
  );
  return rows[0]!.urls;
}

/** The last visit of a kind of crawler to a file. */
export interface Visit {
  readonly crawler: string;
  readonly status: number;
  readonly lastAt: Date;
}

/** Lists the last visits to a file of a domain, the latest first. */
export function listVisitsTo(queryable: Queryable, domainId: string, file: string) {
  return allRows<Visit>(
    queryable,
    `SELECT crawler, status, last_at AS "lastAt" FROM file_visits WHERE domain_id = $1 AND file = $2
      ORDER BY last_at DESC LIMIT ${MOST_VISITS}`,
    [domainId, file],
  );
}
