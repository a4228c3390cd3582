-- no transaction
-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS certificates_first_due;
CREATE INDEX CONCURRENTLY certificates_first_due ON certificates (priority, due_at)
 WHERE chain IS NULL AND due_at IS NOT NULL;
