-- Up Migration

-- Who made a key. Null: the operator, or a key that is older than the audit log. The backfill `keys.creators` finds those of keys
-- that are there already (0020).
ALTER TABLE api_keys ADD COLUMN creator_id text, ADD COLUMN creator_name text;
