-- no transaction
-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS webhook_endpoints_member;
CREATE UNIQUE INDEX CONCURRENTLY webhook_endpoints_member ON webhook_endpoints (account_id, user_id) WHERE user_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS webhook_endpoints_digest_at;
CREATE INDEX CONCURRENTLY webhook_endpoints_digest_at ON webhook_endpoints (digest_at) WHERE digest_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS webhook_events_proofs;
CREATE INDEX CONCURRENTLY webhook_events_proofs ON webhook_events (account_id, created_at) WHERE type = 'mail.proof';
