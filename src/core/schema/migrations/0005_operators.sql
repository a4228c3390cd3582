-- Up Migration

-- Null for keys that are older than this column.
ALTER TABLE api_keys ADD COLUMN last_four text;

-- Null while the account is in use (docs/decisions/0019).
ALTER TABLE accounts ADD COLUMN suspended_at timestamptz;
