-- Up Migration

-- Objects in which a look-up finds the place of a URL (docs/decisions/0056). They lie beside the files of their upload.
CREATE TABLE url_indexes (
  upload_id  text    NOT NULL REFERENCES uploads ON DELETE CASCADE,
  -- The last part of the object's key.
  name       text    NOT NULL,
  head_bytes integer NOT NULL,
  -- The numbers of the files, as in `sitemap_files.upload_n`.
  files      integer[] NOT NULL,
  PRIMARY KEY (upload_id, name)
);

-- Uploads whose files are to be indexed. The process that does it moves `due_at` first.
CREATE TABLE due_url_indexes (
  upload_id text        PRIMARY KEY REFERENCES uploads ON DELETE CASCADE,
  due_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX due_url_indexes_due_at ON due_url_indexes (due_at);
SELECT add_backfill('uploads.url_indexes');
