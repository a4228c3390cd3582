-- no transaction
-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS sitemaps_due_comparison;
CREATE INDEX CONCURRENTLY sitemaps_due_comparison ON sitemaps (compare_lane, compare_account, compare_at)
 WHERE compare_at IS NOT NULL;
-- This index is nearly always empty.
DROP INDEX CONCURRENTLY IF EXISTS sitemaps_unqueued_comparison;
CREATE INDEX CONCURRENTLY sitemaps_unqueued_comparison ON sitemaps (upload_id)
 WHERE compared_upload_id IS DISTINCT FROM upload_id AND compare_at IS NULL;
