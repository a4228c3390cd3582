-- Up Migration

-- What the body of an attempt was read as (docs/decisions/0062). Null for a body that needs no dialect.
ALTER TABLE attempts ADD COLUMN dialect json;
