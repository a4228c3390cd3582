-- Up Migration

-- Whether a load has it. The list of sessions leaves those out: loads are in the list of uploads (docs/decisions/0088).
ALTER TABLE upload_sessions ADD COLUMN of_load boolean NOT NULL DEFAULT false;
