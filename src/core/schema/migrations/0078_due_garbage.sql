-- no transaction
-- Up Migration

-- Pages of due garbage, in this order. Kept generations are most rows, and never due: they are not in it, so an upload writes one
-- entry less.
DROP INDEX CONCURRENTLY IF EXISTS garbage_due;
CREATE INDEX CONCURRENTLY garbage_due ON garbage (collect_after, prefix) WHERE collect_after < 'infinity';
DROP INDEX CONCURRENTLY IF EXISTS garbage_collect_after;
