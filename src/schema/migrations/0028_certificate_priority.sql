-- Up Migration

-- Who gets a first certificate first, while authorities allow fewer than are wanted: 0 crawlers come, 1 verified lately, 2 others.
ALTER TABLE certificates ADD COLUMN priority smallint NOT NULL DEFAULT 1;
