-- Up Migration

-- What changed between an upload and the one that it replaced (docs/decisions/0025). The row dies with its upload.
CREATE TABLE comparisons (
  upload_id        text PRIMARY KEY REFERENCES uploads ON DELETE CASCADE,
  -- Its row may be gone. Null for a first upload.
  former_upload_id text,
  state            text NOT NULL CHECK (state IN ('compared', 'first', 'unknown')),
  -- URLs. Zero unless compared.
  added            bigint NOT NULL DEFAULT 0,
  changed          bigint NOT NULL DEFAULT 0,
  removed          bigint NOT NULL DEFAULT 0,
  -- Up to 100 URLs of each kind.
  samples          jsonb NOT NULL DEFAULT '{"added":[],"changed":[],"removed":[]}',
  -- Objects that list all of them.
  parts            integer NOT NULL DEFAULT 0,
  -- URLs by the origin of their page. Null when it is not known, or there are too many.
  origins          jsonb,
  seconds          double precision NOT NULL,
  ended_at         timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE sitemaps
  -- The upload that the next one is compared with: the last one that was compared, or the first one. Null before that.
  -- Its row may be gone.
  ADD COLUMN compared_upload_id text,
  -- When that was.
  ADD COLUMN compared_at timestamptz,
  -- Whoever compares holds the lease. The fence rises with each lease.
  ADD COLUMN comparing_until timestamptz,
  ADD COLUMN compare_fence bigint NOT NULL DEFAULT 0,
  -- The upload that was last begun to be compared, and how often.
  ADD COLUMN comparing_upload_id text,
  ADD COLUMN compare_attempts integer NOT NULL DEFAULT 0,
  -- Not before this time, after a failure.
  ADD COLUMN compare_after timestamptz;

-- Sitemaps of an older version are compared from their next upload on.
UPDATE sitemaps SET compared_upload_id = upload_id;

CREATE INDEX sitemaps_compared_upload_id ON sitemaps (compared_upload_id)
 WHERE compared_upload_id IS DISTINCT FROM upload_id;
CREATE INDEX sitemaps_comparing_upload_id ON sitemaps (comparing_upload_id) WHERE comparing_until IS NOT NULL;
