-- Up Migration

-- Requests with an Idempotency-Key (docs/decisions/0033). A claim is under way while its status is null, and then it ends
-- with its lease. Later it has the answer of the request, for a day.
CREATE TABLE idempotency_claims (
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- A hash of method, path and Idempotency-Key.
  request    text NOT NULL,
  -- Tells the request that has the claim from earlier and later ones.
  holder     text NOT NULL,
  expires_at timestamptz NOT NULL,
  status     integer,
  -- Sealed: some answers have a secret.
  answer     text,
  -- Of the request as it was sent. No number of bytes: the body was not read, and the digest is of the rest.
  digest     bytea,
  body_bytes bigint,
  PRIMARY KEY (account_id, request)
);
CREATE INDEX idempotency_claims_expires_at ON idempotency_claims (expires_at);
CREATE INDEX idempotency_claims_newest ON idempotency_claims (account_id, expires_at DESC);
