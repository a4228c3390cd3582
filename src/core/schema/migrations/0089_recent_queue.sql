-- no transaction
-- Up Migration

-- The account of the domain while its recent files wait in the queue of those that are due. Accounts take turns. Older versions leave it as
-- it is: then a row is in the queue before it is due, and nobody takes it.
ALTER TABLE recent_sitemaps ADD COLUMN IF NOT EXISTS queue_account text;
DROP INDEX CONCURRENTLY IF EXISTS recent_sitemaps_queue;
CREATE INDEX CONCURRENTLY recent_sitemaps_queue ON recent_sitemaps (queue_account, due_at) WHERE queue_account IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS recent_sitemaps_unqueued;
CREATE INDEX CONCURRENTLY recent_sitemaps_unqueued ON recent_sitemaps (due_at) WHERE due_at IS NOT NULL AND queue_account IS NULL;
