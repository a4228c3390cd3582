-- no transaction
-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS domains_host_hash;
CREATE INDEX CONCURRENTLY domains_host_hash ON domains (host_hash) WHERE status IN ('verified', 'active');
-- Whose hashes the backfill has not made yet. Nearly always empty.
DROP INDEX CONCURRENTLY IF EXISTS domains_unhashed;
CREATE INDEX CONCURRENTLY domains_unhashed ON domains (hostname) WHERE host_hash IS NULL;
