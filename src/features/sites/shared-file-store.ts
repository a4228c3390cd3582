/**
 * The SQL of files that several generations have (docs/decisions/0055). The prefix of an upload is kept as long as another generation has
 * one of its files. So the other files of the upload are listed in `garbage` one by one. A generation is ended first, and trimmed in a
 * later transaction. So if two collectors trim generations with common files, each of them sees that both generations have ended.
 */
import { slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { filesOf, HAS_SITEMAP } from './garbage-store.ts';
import { UPLOADS_PREFIX, uploadIdOfPrefix, uploadPrefix } from './site.ts';

/**
 * Deletes the rows of files that only ended generations have, and lists the objects of these files in `garbage`. Takes at least one
 * generation if there is one, but at most `limit` generations, and at most `files` files in all. Returns the number of trimmed generations.
 */
export async function trimGenerations(
  transaction: Transaction,
  limit: number,
  files: number,
): Promise<number> {
  const { rows } = await transaction.query<{ generations: number; uploadIds: string[]; numbers: number[] }>(
    slowStatement(
      `WITH ended AS MATERIALIZED (
         SELECT g.prefix, u.domain_id, u.sitemap_name, u.seq, u.file_count
           FROM garbage g JOIN uploads u ON u.id = split_part(g.prefix, '/', 2)
          WHERE g.ended_at IS NOT NULL AND g.trimmed_at IS NULL LIMIT $1 FOR UPDATE OF g SKIP LOCKED
       ), trimmed AS MATERIALIZED (
         SELECT * FROM (SELECT *, sum(file_count) OVER (ORDER BY prefix) AS files FROM ended) AS summed
          WHERE files <= greatest($3::bigint, file_count)
       ), marked AS (
         UPDATE garbage AS g SET trimmed_at = now() FROM trimmed t WHERE g.prefix = t.prefix
       ), unused AS (
         SELECT DISTINCT f.domain_id, f.sitemap_name, f.from_seq, f.n
           FROM trimmed t JOIN sitemap_files f ON f.domain_id = t.domain_id AND f.sitemap_name = t.sitemap_name
          WHERE ${filesOf('t.seq')} AND f.to_seq IS NOT NULL
            AND NOT EXISTS (
                  SELECT FROM uploads u LEFT JOIN garbage g ON g.prefix = $2 || u.id || '/'
                   WHERE u.domain_id = f.domain_id AND u.sitemap_name = f.sitemap_name
                     AND u.seq >= f.from_seq AND u.seq < f.to_seq AND g.ended_at IS NULL)
       ), deleted AS (
         DELETE FROM sitemap_files AS f USING unused u
          WHERE f.domain_id = u.domain_id AND f.sitemap_name = u.sitemap_name AND f.from_seq = u.from_seq AND f.n = u.n
         RETURNING f.upload_id, f.upload_n
       )
       SELECT (SELECT count(*)::integer FROM trimmed) AS generations,
              coalesce(array_agg(upload_id), '{}') AS "uploadIds", coalesce(array_agg(upload_n), '{}') AS numbers
         FROM deleted`,
      [limit, UPLOADS_PREFIX, files],
    ),
  );
  const { generations, uploadIds, numbers } = rows[0]!;
  if (uploadIds.length > 0) await listFiles(transaction, uploadIds, numbers);
  return generations;
}

/**
 * Takes files that lost their last row. Deletes small files, and lists the objects of all others in `garbage`. The bytes of these files no
 * longer count as kept.
 */
async function listFiles(
  transaction: Transaction,
  uploadIds: readonly string[],
  numbers: readonly number[],
): Promise<void> {
  await transaction.query(
    slowStatement(
      `WITH lost AS (
         SELECT DISTINCT upload_id, n FROM unnest($1::text[], $2::integer[]) AS lost (upload_id, n)
          WHERE NOT EXISTS (SELECT FROM sitemap_files f WHERE f.upload_id = lost.upload_id AND f.upload_n = lost.n)
       ), small AS (
         DELETE FROM small_files s USING lost WHERE s.upload_id = lost.upload_id AND s.n = lost.n
         RETURNING s.upload_id, s.n
       )
       INSERT INTO garbage (prefix, collect_after)
       SELECT $3 || upload_id || '/' || n || '.', now() FROM lost
        WHERE (upload_id, n) NOT IN (SELECT upload_id, n FROM small)
       ON CONFLICT DO NOTHING`,
      [uploadIds, numbers, UPLOADS_PREFIX],
    ),
  );
  await countAgain(transaction, [...new Set(uploadIds)]);
}

/**
 * Counts the kept bytes of uploads again. Locks first and counts in the next statement, because a statement that waits for a publication
 * does not see the files that the publication ended. Leaves out uploads that a publication has locked, because this publication may itself
 * wait for a generation that is being trimmed. Too many bytes count for such an upload, until another of its files loses its last row.
 */
async function countAgain(transaction: Transaction, uploadIds: readonly string[]): Promise<void> {
  const { rows } = await transaction.query<{ prefix: string }>(
    slowStatement(
      'SELECT prefix FROM garbage WHERE prefix = ANY($1) AND account_id IS NOT NULL FOR UPDATE SKIP LOCKED',
      [uploadIds.map(uploadPrefix)],
    ),
  );
  if (rows.length === 0) return;
  await transaction.query(
    slowStatement(
      `UPDATE garbage AS g SET bytes = own.bytes
         FROM (SELECT $2 || u.id || '/' AS prefix,
                      (SELECT coalesce(sum(f.gzip_bytes), 0) FROM sitemap_files f
                        WHERE f.upload_id = u.id AND f.from_seq = u.seq AND (f.to_seq IS NOT NULL OR NOT ${HAS_SITEMAP})) AS bytes
                 FROM uploads u WHERE u.id = ANY($1) AND u.kind <> 'rollback') AS own
        WHERE g.prefix = own.prefix AND g.bytes <> own.bytes`,
      [rows.map(({ prefix }) => uploadIdOfPrefix(prefix)), UPLOADS_PREFIX],
    ),
  );
}
