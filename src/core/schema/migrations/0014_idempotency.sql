-- Up Migration

-- Requests with an Idempotency-Key (docs/decisions/0033). While its status is null, a claim is under way and ends with
-- its lease. Later it keeps the answer of the request for a day.
CREATE TABLE idempotency_claims (
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- A hash of method, path and Idempotency-Key.
  request    text NOT NULL,
  -- Identifies the request that holds the claim among repeated ones.
  holder     text NOT NULL,
  expires_at timestamptz NOT NULL,
  status     integer,
  -- The answer is sealed, because some answers contain a secret.
  answer     text,
  -- The digest and size of the request as it was sent. If the size is null, the body was not read and the digest does
  -- not cover it.
  digest     bytea,
  body_bytes bigint,
  PRIMARY KEY (account_id, request)
);
CREATE INDEX idempotency_claims_expires_at ON idempotency_claims (expires_at);
CREATE INDEX idempotency_claims_newest ON idempotency_claims (account_id, expires_at DESC);
