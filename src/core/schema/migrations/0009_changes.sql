-- Up Migration

-- The changes between an upload and the one that it replaced (docs/decisions/0025). The row is deleted with its
-- upload.
CREATE TABLE comparisons (
  upload_id        text PRIMARY KEY REFERENCES uploads ON DELETE CASCADE,
  -- The row of that upload may be gone. Null for a first upload.
  former_upload_id text,
  state            text NOT NULL CHECK (state IN ('compared', 'first', 'unknown')),
  -- Numbers of URLs. They are zero unless the state is `compared`.
  added            bigint NOT NULL DEFAULT 0,
  changed          bigint NOT NULL DEFAULT 0,
  removed          bigint NOT NULL DEFAULT 0,
  -- Up to 100 URLs of each kind.
  samples          jsonb NOT NULL DEFAULT '{"added":[],"changed":[],"removed":[]}',
  -- The number of objects that list all these URLs.
  parts            integer NOT NULL DEFAULT 0,
  -- The numbers of URLs by origin. Null when they are not known, or there are too many origins.
  origins          jsonb,
  seconds          double precision NOT NULL,
  ended_at         timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE sitemaps
  -- The base of the next comparison: the upload that was compared last, or the first one. Null before the first
  -- comparison. The row of the upload may be gone.
  ADD COLUMN compared_upload_id text,
  -- When that upload was compared.
  ADD COLUMN compared_at timestamptz,
  -- The process that compares holds the lease. The fence rises with each lease.
  ADD COLUMN comparing_until timestamptz,
  ADD COLUMN compare_fence bigint NOT NULL DEFAULT 0,
  -- The upload whose comparison was last begun, and how often it was begun.
  ADD COLUMN comparing_upload_id text,
  ADD COLUMN compare_attempts integer NOT NULL DEFAULT 0,
  -- After a failure, the comparison waits until this time.
  ADD COLUMN compare_after timestamptz;

-- Sitemaps from before this migration are compared from their next upload on.
UPDATE sitemaps SET compared_upload_id = upload_id;

CREATE INDEX sitemaps_compared_upload_id ON sitemaps (compared_upload_id)
 WHERE compared_upload_id IS DISTINCT FROM upload_id;
CREATE INDEX sitemaps_comparing_upload_id ON sitemaps (comparing_upload_id) WHERE comparing_until IS NOT NULL;
