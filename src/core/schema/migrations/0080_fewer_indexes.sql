-- no transaction
-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS garbage_due;
-- The sitemap of an upload is found by the upload.
DROP INDEX CONCURRENTLY IF EXISTS sitemaps_compared_upload_id;
DROP INDEX CONCURRENTLY IF EXISTS sitemaps_comparing_upload_id;
