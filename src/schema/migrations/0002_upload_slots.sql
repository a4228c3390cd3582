-- Up Migration

-- One row for each upload under way (docs/decisions/0014). After a crash of Postgres it is empty, and the processes that
-- renew their leases write it again.
CREATE UNLOGGED TABLE upload_slots (
  account_id text NOT NULL,
  -- From 1 to the number of uploads that an account may have under way: the key is what keeps the limit.
  n          integer NOT NULL,
  holder     text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, n)
);
