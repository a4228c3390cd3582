-- no transaction
-- Up Migration

-- Doubted domains are checked first. Each kind has its own index, so neither reads past the rows of the other.
DROP INDEX CONCURRENTLY IF EXISTS domains_doubted_check_at;
CREATE INDEX CONCURRENTLY domains_doubted_check_at ON domains (check_at)
 WHERE status IN ('verified', 'active') AND wrong_checks > 0;
DROP INDEX CONCURRENTLY IF EXISTS domains_steady_check_at;
CREATE INDEX CONCURRENTLY domains_steady_check_at ON domains (check_at)
 WHERE status IN ('verified', 'active') AND wrong_checks = 0;
DROP INDEX CONCURRENTLY IF EXISTS domains_served_check_at;
