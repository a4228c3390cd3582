-- Up Migration

-- One row for each upload under way (docs/decisions/0014). A crash of Postgres empties the table, and the processes
-- fill it again when they renew their leases.
CREATE UNLOGGED TABLE upload_slots (
  account_id text NOT NULL,
  -- `n` is from 1 to the number of uploads that an account may have under way, so the primary key enforces the limit.
  n          integer NOT NULL,
  holder     text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, n)
);
