-- no transaction
-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS domains_host_hash;
CREATE INDEX CONCURRENTLY domains_host_hash ON domains (host_hash) WHERE status IN ('verified', 'active');
-- Hosts without a hash, which the backfill has not reached yet. This index is nearly always empty.
DROP INDEX CONCURRENTLY IF EXISTS domains_unhashed;
CREATE INDEX CONCURRENTLY domains_unhashed ON domains (hostname) WHERE host_hash IS NULL;
