-- Up Migration

-- What an upload holds, whatever its order (docs/decisions/0053). Null for older rows, which equal nothing.
ALTER TABLE uploads ADD COLUMN digest bigint, ADD COLUMN entries_per_file integer, ADD COLUMN xml_version smallint;
ALTER TABLE held_uploads ADD COLUMN print json;
-- The newest upload that was the same as the live one. Null: there was none.
ALTER TABLE sitemaps ADD COLUMN confirmed_at timestamptz;
ALTER TABLE attempts DROP CONSTRAINT attempts_outcome_check;
ALTER TABLE attempts ADD CONSTRAINT attempts_outcome_check
  CHECK (outcome IN ('published', 'unchanged', 'refused', 'held', 'failed', 'abandoned', 'dry_run')) NOT VALID;
-- A comparison of uploads whose XML two versions of Waypost wrote (docs/decisions/0053).
ALTER TABLE comparisons DROP CONSTRAINT comparisons_state_check;
ALTER TABLE comparisons ADD CONSTRAINT comparisons_state_check
  CHECK (state IN ('compared', 'first', 'unknown', 'rewritten')) NOT VALID;
ALTER TABLE upload_days ADD COLUMN unchanged bigint NOT NULL DEFAULT 0;
