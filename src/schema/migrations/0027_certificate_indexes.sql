-- no transaction
-- Up Migration

-- Which keys are still to be sealed anew.
DROP INDEX CONCURRENTLY IF EXISTS certificates_key_id;
CREATE INDEX CONCURRENTLY certificates_key_id ON certificates ((key->>'keyId'));
DROP INDEX CONCURRENTLY IF EXISTS certificates_order_key_id;
CREATE INDEX CONCURRENTLY certificates_order_key_id ON certificates ((order_key->>'keyId')) WHERE order_key IS NOT NULL;
-- What metrics ask.
DROP INDEX CONCURRENTLY IF EXISTS certificates_not_after;
CREATE INDEX CONCURRENTLY certificates_not_after ON certificates (not_after) WHERE domain_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS certificates_failing;
CREATE INDEX CONCURRENTLY certificates_failing ON certificates (domain_id) WHERE last_error IS NOT NULL;
-- Postgres knows nothing of an expression before.
ANALYZE certificates;
