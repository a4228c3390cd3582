-- no transaction
-- Up Migration

-- One index in place of two: lists read it by position, and sums of days without the rows. A domain keeps some 1,000 attempts, so
-- sums may read all of its entries.
DROP INDEX CONCURRENTLY IF EXISTS attempts_by_domain;
CREATE INDEX CONCURRENTLY attempts_by_domain ON attempts (domain_id, position DESC) INCLUDE (ended_at, outcome, url_count);
DROP INDEX CONCURRENTLY IF EXISTS attempts_domain_id;
DROP INDEX CONCURRENTLY IF EXISTS attempts_by_day;
