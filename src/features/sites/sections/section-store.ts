/**
 * The SQL of divided sites. A digest of each section's rows shows whether the section has changed. So publishers need not mark changed
 * sections. Of an unchanged section, only names and ids are read.
 */
import { slowStatement, type Transaction } from '../../../platform/postgres/database.ts';
import { FILE, type LiveSitemap, type NamedFile, SMALL, sitemapsOf } from '../site-store.ts';

/** The lower bound of the names in a section, and the digest of the rows from which the section was written. */
export interface SectionBound {
  readonly from: string;
  /** Undefined if the section is not written yet. */
  readonly digest: string | undefined;
}

export interface ChangedSection {
  /** The place of its bound in the list of bounds. */
  readonly at: number;
  readonly digest: string;
  /** The live sitemaps, sorted by name. */
  readonly live: readonly LiveSitemap[];
}

type SectionRow = { readonly at: number; readonly digest: string; readonly place: number } & (
  | NamedFile
  | { readonly name: null }
);

/**
 * Lists the sections whose rows no longer match their digests. `bounds` are in order, and the `from` of the first bound is ''. One
 * statement reads digests and rows, so they are of one snapshot. With two snapshots, the digest may be of newer rows than those that are
 * written, and hide a change.
 */
export async function listChangedSections(
  transaction: Transaction,
  domainId: string,
  bounds: readonly SectionBound[],
): Promise<ChangedSection[]> {
  const { rows } = await transaction.query<SectionRow>(
    slowStatement(
      // A name consists of letters, digits, _ and -, so '~' sorts after all names.
      `WITH sections AS (
         SELECT at, start, digest, lead(start, 1, '~') OVER (ORDER BY at) AS next
           FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS bound (start, digest, at)
       ), changed AS MATERIALIZED (
         SELECT s.at, s.start, s.next, coalesce(now.digest, '') AS digest
           FROM sections s
                -- An upload belongs to one sitemap, so its id is enough. The upload of a deleted sitemap is withdrawn. It has
                -- another seed, so that the digest changes with the deletion.
                CROSS JOIN LATERAL (
                  SELECT bit_xor(hashtextextended(id, seed))::text AS digest
                    FROM (SELECT upload_id AS id, 0 AS seed FROM sitemaps
                           WHERE domain_id = $1 AND name COLLATE "C" >= s.start AND name COLLATE "C" < s.next
                           UNION ALL
                          SELECT id, 1 FROM uploads
                           WHERE domain_id = $1 AND withdrawn
                             AND sitemap_name COLLATE "C" >= s.start AND sitemap_name COLLATE "C" < s.next) AS shown
                ) AS now
          WHERE coalesce(now.digest, '') IS DISTINCT FROM s.digest
       )
       SELECT c.at::integer - 1 AS at, c.digest, live.*
         FROM changed c LEFT JOIN LATERAL (
                SELECT s.name, s.upload_id AS "uploadId", u.published_at AS "publishedAt", f.n AS place, ${FILE}
                  FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
                       CROSS JOIN LATERAL (SELECT * FROM sitemap_files f
                                            WHERE f.domain_id = s.domain_id AND f.sitemap_name = s.name AND f.to_seq IS NULL
                                            OFFSET 0) AS f ${SMALL}
                 WHERE s.domain_id = $1 AND s.name COLLATE "C" >= c.start AND s.name COLLATE "C" < c.next
                 OFFSET 0) AS live ON true
        ORDER BY c.at, live.name COLLATE "C", live.place`,
      [domainId, bounds.map(({ from }) => from), bounds.map(({ digest }) => digest ?? null)],
      'list-changed-sections',
    ),
  );
  return [...Map.groupBy(rows, ({ at }) => at)].map(([at, files]) => ({
    at,
    digest: files[0]!.digest,
    live: sitemapsOf(
      files.flatMap(({ at: _at, digest: _digest, place: _place, ...file }) =>
        file.name === null ? [] : [file],
      ),
    ),
  }));
}
