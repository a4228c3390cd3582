-- Up Migration

-- When a job last looked at what is due, and until when it decides nothing because the clock stepped or no job looked for a while.
CREATE TABLE looks (
  name       text PRIMARY KEY,
  at         timestamptz NOT NULL,
  settled_at timestamptz NOT NULL
);

-- How often a sitemap is to be uploaded (docs/decisions/0079). All are null without such an expectation.
ALTER TABLE sitemaps
  ADD COLUMN expect_every_hours integer,
  -- When the next upload is due.
  ADD COLUMN fresh_until        timestamptz,
  -- When the upload was due that is missing. It ends with the next upload.
  ADD COLUMN stale_since        timestamptz,
  -- The account of the domain of a stale sitemap.
  ADD COLUMN stale_account      text;

-- The form of the messages of a webhook.
ALTER TABLE webhook_endpoints ADD COLUMN format text NOT NULL DEFAULT 'json';
