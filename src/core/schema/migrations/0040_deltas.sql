-- Up Migration

-- A delta is a generation that was made from the one before it by a few operations (docs/decisions/0058).
ALTER TABLE uploads DROP CONSTRAINT uploads_kind_check;
ALTER TABLE uploads ADD CONSTRAINT uploads_kind_check CHECK (kind IN ('upload', 'rollback', 'delta')) NOT VALID;
-- Of a delta: the last generation before it that is none. Comparisons are of these, because the changes of a delta are known.
ALTER TABLE uploads ADD COLUMN delta_of text;
-- An upload is being placed in the files of the live generation, so deltas wait. The seq of the last delta: the tenth generation
-- before one that is newer may not be the tenth that is kept.
ALTER TABLE sitemaps ADD COLUMN placing_until timestamptz, ADD COLUMN last_delta_seq integer;
