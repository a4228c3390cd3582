-- Up Migration

-- The changes since `usage_days` was last made. Whoever adds one only inserts, so it waits for no other transaction. Without an index
-- an upload writes one short row; a reader reads the rows of a minute.
CREATE TABLE usage_changes (
  account_id      text NOT NULL,
  day             date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
  requests        bigint NOT NULL DEFAULT 0,
  urls            bigint NOT NULL DEFAULT 0,
  bytes           bigint NOT NULL DEFAULT 0,
  served_requests bigint NOT NULL DEFAULT 0,
  served_bytes    bigint NOT NULL DEFAULT 0
);

-- Requests that are not in `usage_changes` yet. It is as durable as `rate_limits`, whose statement counts here.
CREATE UNLOGGED TABLE request_days (
  account_id text NOT NULL,
  day        date NOT NULL,
  requests   bigint NOT NULL,
  PRIMARY KEY (account_id, day)
);

-- How far the reading of `hosted_urls` and `hosted_bytes` is: the day, and the last account that was read. Null: all were.
CREATE TABLE usage_readings (
  day   date NOT NULL,
  after text
);
INSERT INTO usage_readings VALUES ((now() AT TIME ZONE 'UTC')::date - 1, NULL);

-- This comes last: until the end of the transaction, no other one may write to `accounts`.
-- What an account used, by day in UTC (docs/decisions/0078).
CREATE TABLE usage_days (
  account_id      text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  day             date NOT NULL,
  requests        bigint NOT NULL DEFAULT 0,
  urls            bigint NOT NULL DEFAULT 0,
  bytes           bigint NOT NULL DEFAULT 0,
  served_requests bigint NOT NULL DEFAULT 0,
  served_bytes    bigint NOT NULL DEFAULT 0,
  -- At the end of the day. Null if it was not read.
  hosted_urls     bigint,
  hosted_bytes    bigint,
  PRIMARY KEY (account_id, day)
);
CREATE INDEX usage_days_day ON usage_days (day);
