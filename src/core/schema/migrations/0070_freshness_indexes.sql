-- no transaction
-- Up Migration

-- Sitemaps without an expectation are in none of these (docs/decisions/0079).
DROP INDEX CONCURRENTLY IF EXISTS sitemaps_fresh_until;
CREATE INDEX CONCURRENTLY sitemaps_fresh_until ON sitemaps (fresh_until) WHERE stale_since IS NULL AND fresh_until IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS sitemaps_stale;
CREATE INDEX CONCURRENTLY sitemaps_stale ON sitemaps (fresh_until) WHERE fresh_until > stale_since;
DROP INDEX CONCURRENTLY IF EXISTS sitemaps_stale_account;
CREATE INDEX CONCURRENTLY sitemaps_stale_account ON sitemaps (stale_account) WHERE stale_since IS NOT NULL;
