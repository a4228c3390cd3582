-- no transaction
-- Up Migration

-- Lists over all accounts and domains are read by index, page by page.
DROP INDEX CONCURRENTLY IF EXISTS accounts_external_ref_is_unique;
CREATE UNIQUE INDEX CONCURRENTLY accounts_external_ref_is_unique ON accounts (external_ref) WHERE external_ref IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS accounts_created_at;
CREATE INDEX CONCURRENTLY accounts_created_at ON accounts (created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS accounts_plan;
CREATE INDEX CONCURRENTLY accounts_plan ON accounts (plan, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS accounts_suspended;
CREATE INDEX CONCURRENTLY accounts_suspended ON accounts (created_at, id) WHERE suspended_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS domains_not_served;
CREATE INDEX CONCURRENTLY domains_not_served ON domains (status, position DESC)
  WHERE status IN ('pending_verification', 'failed');
