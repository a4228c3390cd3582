/**
 * Gives a live upload so many files that neither its listing nor an index fits into site.json. All of them have the bytes of
 * its first file.
 */
import type { Database } from '../../src/platform/postgres/database.ts';

export async function addManyFiles(database: Database, uploadId: string, files = 4000): Promise<void> {
  await database.query(
    // Times without a pattern, so that an index does not compress well.
    `INSERT INTO sitemap_files (domain_id, sitemap_name, from_seq, upload_id, n, upload_n, entries, bytes, gzip_bytes, etag, last_modified)
     SELECT f.domain_id, f.sitemap_name, f.from_seq, f.upload_id, place, 1, f.entries, f.bytes, f.gzip_bytes, f.etag,
            to_timestamp(('x' || substr(md5(place::text), 1, 7))::bit(28)::integer)
       FROM sitemap_files f, generate_series(2, $2::integer) AS place WHERE f.upload_id = $1 AND f.n = 1`,
    [uploadId, files],
  );
  await database.query(
    `UPDATE uploads SET file_count = $2::integer, bytes = $2::integer * bytes, gzip_bytes = $2::integer * gzip_bytes WHERE id = $1`,
    [uploadId, files],
  );
  // The sums of the domain are not true any more.
  await database.query(
    'UPDATE domains SET counted_generation = NULL WHERE id = (SELECT domain_id FROM uploads WHERE id = $1)',
    [uploadId],
  );
}
