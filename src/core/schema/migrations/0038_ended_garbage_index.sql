-- no transaction
-- Up Migration

-- Generations that have ended and are not trimmed yet (docs/decisions/0055). There are hardly ever any.
DROP INDEX CONCURRENTLY IF EXISTS garbage_ended;
CREATE INDEX CONCURRENTLY garbage_ended ON garbage (prefix) WHERE ended_at IS NOT NULL AND trimmed_at IS NULL;
