-- Up Migration

-- The gzip bytes of small files. They have no objects of their own, because listings contain them
-- (docs/decisions/0038).
CREATE TABLE small_files (
  upload_id text    NOT NULL REFERENCES uploads ON DELETE CASCADE,
  n         integer NOT NULL,
  content   bytea   NOT NULL,
  PRIMARY KEY (upload_id, n)
);
-- The bytes are compressed already.
ALTER TABLE small_files ALTER COLUMN content SET STORAGE EXTERNAL;

-- Sites that must be written. The writer of a site deletes its row, unless the row has a newer generation by then. A
-- sweep writes the sites that are due, because their writer may have died.
CREATE TABLE site_changes (
  hostname   text        PRIMARY KEY,
  -- A value of the sequence `site_generations`.
  generation bigint      NOT NULL,
  -- The time of the first change that is not written yet.
  changed_at timestamptz NOT NULL DEFAULT now(),
  due_at     timestamptz NOT NULL
);
