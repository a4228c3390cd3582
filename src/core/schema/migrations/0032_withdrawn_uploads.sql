-- no transaction
-- Up Migration

-- Writers of sections of divided sites look for withdrawn uploads (docs/decisions/0046). The index is small: an
-- upload is withdrawn for a day and then collected.
DROP INDEX CONCURRENTLY IF EXISTS uploads_withdrawn;
CREATE INDEX CONCURRENTLY uploads_withdrawn ON uploads (domain_id, sitemap_name COLLATE "C") WHERE withdrawn;
