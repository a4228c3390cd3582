-- Up Migration

-- The bytes of small files, as gzip. They have no object of their own: listings have them (docs/decisions/0038).
CREATE TABLE small_files (
  upload_id text    NOT NULL REFERENCES uploads ON DELETE CASCADE,
  n         integer NOT NULL,
  content   bytea   NOT NULL,
  PRIMARY KEY (upload_id, n)
);
-- They are compressed already.
ALTER TABLE small_files ALTER COLUMN content SET STORAGE EXTERNAL;

-- Sites that are to be written. Whoever writes a site deletes its row, if that has no newer generation by then. A sweep
-- writes those that are due: their writer may have died.
CREATE TABLE site_changes (
  hostname   text        PRIMARY KEY,
  -- Of site_generations.
  generation bigint      NOT NULL,
  -- Of the first change that is not written yet.
  changed_at timestamptz NOT NULL DEFAULT now(),
  due_at     timestamptz NOT NULL
);
