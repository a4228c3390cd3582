-- Up Migration

-- Most domains have one sitemap, so Postgres expects one, and looks for a sitemap by its domain alone: it takes the index by domain and
-- name in the order of listings, and reads all names of the domain. A domain may have 10,000 sitemaps. With ten as the
-- declared number, Postgres looks by both, in the primary key.
ALTER TABLE sitemaps ALTER domain_id SET (n_distinct = -0.1);
ANALYZE sitemaps;
