-- no transaction
-- Up Migration

-- These indexes find the keys that must still be sealed with the newest key of the ring.
DROP INDEX CONCURRENTLY IF EXISTS certificates_key_id;
CREATE INDEX CONCURRENTLY certificates_key_id ON certificates ((key->>'keyId'));
DROP INDEX CONCURRENTLY IF EXISTS certificates_order_key_id;
CREATE INDEX CONCURRENTLY certificates_order_key_id ON certificates ((order_key->>'keyId')) WHERE order_key IS NOT NULL;
-- Metrics use these two indexes.
DROP INDEX CONCURRENTLY IF EXISTS certificates_not_after;
CREATE INDEX CONCURRENTLY certificates_not_after ON certificates (not_after) WHERE domain_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS certificates_failing;
CREATE INDEX CONCURRENTLY certificates_failing ON certificates (domain_id) WHERE last_error IS NOT NULL;
-- Postgres has no statistics of an indexed expression before ANALYZE.
ANALYZE certificates;
