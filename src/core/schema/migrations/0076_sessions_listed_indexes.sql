-- no transaction
-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS upload_sessions_listed;
CREATE INDEX CONCURRENTLY upload_sessions_listed ON upload_sessions (domain_id, created_at DESC, id DESC, sitemap_name) WHERE NOT of_load;

-- The schedules that keep a connection from being deleted.
DROP INDEX CONCURRENTLY IF EXISTS schedules_connection;
CREATE INDEX CONCURRENTLY schedules_connection ON schedules (account_id, (asked->>'connection')) WHERE asked->>'connection' IS NOT NULL;
