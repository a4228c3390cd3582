/** Adds sitemaps of one small file to a domain, `s00000` and so on, each of another time of the last year, as if uploaded. */
import type { Database } from '../../src/platform/postgres/database.ts';

export async function addManySitemaps(database: Database, domainId: string, count: number): Promise<void> {
  await database.query(
    `WITH new AS (
       SELECT n, 's' || lpad(n::text, 5, '0') AS name, 'upload_' || substr(md5($1 || n), 1, 22) AS id,
              date_trunc('second', now()) - (n * 7919 % 31557600) * interval '1 second' AS at
         FROM generate_series(0, $2::integer - 1) AS n
     ), uploaded AS (
       INSERT INTO uploads (id, domain_id, sitemap_name, url_count, file_count, bytes, gzip_bytes, published_at, seq, objects)
       SELECT id, $1, name, 1, 1, 100, 3, at, 1, 0 FROM new RETURNING id
     ), pointed AS (
       INSERT INTO sitemaps (domain_id, name, upload_id, updated_at, compared_upload_id)
       SELECT $1, name, id, at, id FROM new JOIN uploaded USING (id)
     ), filed AS (
       INSERT INTO sitemap_files (upload_id, upload_n, entries, bytes, gzip_bytes, etag, last_modified, domain_id, sitemap_name, n, from_seq)
       SELECT id, 1, 1, 100, 3, substr(md5(id), 1, 22), at, $1, name, 1, 1 FROM new JOIN uploaded USING (id) RETURNING upload_id
     ), small AS (
       INSERT INTO small_files (upload_id, n, content) SELECT upload_id, 1, 'abc' FROM filed
     )
     UPDATE domains SET generation = nextval('site_generations'), sitemap_count = $2, url_count = $2, file_count = $2 WHERE id = $1`,
    [domainId, count],
  );
}
