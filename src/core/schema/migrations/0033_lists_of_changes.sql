-- Up Migration

-- A small list of changes is stored here, in gzip, and has no object.
ALTER TABLE comparisons ADD COLUMN list bytea;
