/** The effects of migrations on the rows of the version before them. */
import { expect, test } from 'vitest';
import { migrateTo } from '../../tools/filled/migrate-to.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase('template1');

test('uploads become generations in the order of their publication, and keep their files', async () => {
  await migrateTo(database, '0011_page_hosts');
  await database.query(`
    INSERT INTO accounts (id, name, plan) VALUES ('a', 'a', 'free');
    INSERT INTO domains (id, account_id, hostname, status, ssl_status, cname_target)
    VALUES ('d', 'a', 'maps.example.com', 'verified', 'pending', 'x');
    INSERT INTO uploads (id, domain_id, sitemap_name, url_count, file_count, bytes, gzip_bytes, published_at, replaced_at, withdrawn)
    VALUES ('gone', 'd', 'news', 1, 1, 10, 5, '2026-01-01', '2026-01-02', true),
           ('old', 'd', '', 1, 1, 10, 5, '2026-01-01', '2026-01-02', false),
           ('live', 'd', '', 2, 2, 20, 10, '2026-01-02', NULL, false);
    INSERT INTO sitemaps (domain_id, name, upload_id) VALUES ('d', '', 'live');
    INSERT INTO upload_files (upload_id, n, entries, bytes, gzip_bytes, etag, last_modified)
    VALUES ('gone', 1, 1, 10, 5, 'g', now()), ('old', 1, 1, 10, 5, 'o', now()),
           ('live', 1, 1, 10, 5, 'a', now()), ('live', 2, 1, 10, 5, 'b', now());
    INSERT INTO garbage (prefix, collect_after, account_id, bytes)
    VALUES ('uploads/old/', '2026-01-03', 'a', 5), ('uploads/gone/', '2026-01-03', 'a', 5)`);
  await migrateTo(database, '0012_history');

  const uploads = await database.query('SELECT id, seq, kind FROM uploads ORDER BY id');
  expect(uploads.rows).toEqual([
    { id: 'gone', seq: 1, kind: 'upload' },
    { id: 'live', seq: 2, kind: 'upload' },
    { id: 'old', seq: 1, kind: 'upload' },
  ]);
  const files = await database.query(
    `SELECT upload_id AS id, upload_n, n, sitemap_name AS name, from_seq AS "from", to_seq AS "to"
       FROM sitemap_files ORDER BY 1, 2`,
  );
  expect(files.rows).toEqual([
    { id: 'gone', upload_n: 1, n: 1, name: 'news', from: 1, to: 2 },
    { id: 'live', upload_n: 1, n: 1, name: '', from: 2, to: null },
    { id: 'live', upload_n: 2, n: 2, name: '', from: 2, to: null },
    { id: 'old', upload_n: 1, n: 1, name: '', from: 1, to: 2 },
  ]);
  const garbage = await database.query(
    `SELECT prefix, collect_after = 'infinity' AS kept FROM garbage ORDER BY prefix`,
  );
  expect(garbage.rows).toEqual([
    { prefix: 'uploads/gone/', kept: false },
    { prefix: 'uploads/old/', kept: true },
  ]);
  // The name that was deleted goes on from its last number.
  const { rows } = await database.query("SELECT deleted_seq FROM domains WHERE id = 'd'");
  expect(rows).toEqual([{ deleted_seq: 1 }]);
});
