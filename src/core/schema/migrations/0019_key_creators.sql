-- Up Migration

-- The person who made the key. Null if the operator made it, or if it is older than the audit log. The backfill `keys.creators`
-- fills the columns for existing keys (0020).
ALTER TABLE api_keys ADD COLUMN creator_id text, ADD COLUMN creator_name text;
