-- no transaction
-- Up Migration

-- Domains that wait for their verification are now checked automatically. The backfill `domains.pending_checks` spreads the
-- checks of those that wait already (0020).

-- Each queue has its own index, so it does not read past the rows of the other.
DROP INDEX CONCURRENTLY IF EXISTS domains_served_check_at;
CREATE INDEX CONCURRENTLY domains_served_check_at ON domains (check_at) WHERE status IN ('verified', 'active');
DROP INDEX CONCURRENTLY IF EXISTS domains_pending_check_at;
CREATE INDEX CONCURRENTLY domains_pending_check_at ON domains (check_at) WHERE status = 'pending_verification';
DROP INDEX CONCURRENTLY IF EXISTS domains_check_at;
