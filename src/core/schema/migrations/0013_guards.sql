-- Up Migration

-- The guard of a domain: an upload may remove at most this percentage of a sitemap's URLs. Null means no guard, as
-- before this migration.
ALTER TABLE domains ADD COLUMN max_removed_percent integer CHECK (max_removed_percent BETWEEN 0 AND 100);
ALTER TABLE domains ALTER COLUMN max_removed_percent SET DEFAULT 50;

-- Uploads that the guard held back (docs/decisions/0029). The files of each are in `garbage` until it is published.
-- `domain_id` is no reference, so the domain may be gone: a publisher locks this row before the row of the domain.
CREATE TABLE held_uploads (
  id             text PRIMARY KEY,
  account_id     text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  domain_id      text NOT NULL,
  hostname       text NOT NULL,
  sitemap_name   text NOT NULL,
  ping_search    boolean NOT NULL,
  -- Null if the upload was not one that may leave out entries.
  rejected       bigint,
  -- Null once the upload is published.
  files          json,
  -- The outcome of its publication, so that a repeated request gets the same answer.
  published      json,
  held_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX held_uploads_account_id ON held_uploads (account_id);
CREATE INDEX held_uploads_held_at ON held_uploads (held_at);

-- The lists of entries that uploads left out. A row is deleted with the objects of its list.
CREATE TABLE rejects (
  upload_id   text PRIMARY KEY,
  account_id  text NOT NULL,
  prefix      text NOT NULL UNIQUE REFERENCES garbage ON DELETE CASCADE,
  parts       integer NOT NULL
);
