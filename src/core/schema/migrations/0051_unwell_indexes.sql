-- no transaction
-- Up Migration

-- What needs people (docs/decisions/0063). An account with many domains has few of these rows, so they have indexes of their own.
DROP INDEX CONCURRENTLY IF EXISTS domains_unwell;
CREATE INDEX CONCURRENTLY domains_unwell ON domains (account_id)
  WHERE status IN ('pending_verification', 'failed') OR wrong_checks > 0;
DROP INDEX CONCURRENTLY IF EXISTS page_hosts_unwell;
CREATE INDEX CONCURRENTLY page_hosts_unwell ON page_hosts (account_id, domain_id)
  WHERE state IN ('partly', 'missing', 'disallowed', 'unreachable');
DROP INDEX CONCURRENTLY IF EXISTS certificates_unwell;
CREATE INDEX CONCURRENTLY certificates_unwell ON certificates (account_id) WHERE failures > 0;
DROP INDEX CONCURRENTLY IF EXISTS certificates_ending;
CREATE INDEX CONCURRENTLY certificates_ending ON certificates (account_id, not_after) WHERE domain_id IS NOT NULL;
