-- Up Migration

-- The window of the rate limit stands in the row that counts the day, so a request writes one row (docs/decisions/0078). Processes of
-- former versions write and move `requests` as before, and have windows of their own.
ALTER TABLE request_days
  ADD COLUMN points integer NOT NULL DEFAULT 0,
  -- Of the window, in milliseconds of the epoch.
  ADD COLUMN ends_at bigint NOT NULL DEFAULT 0,
  -- The limit of the last request.
  ADD COLUMN most integer NOT NULL DEFAULT 0;
