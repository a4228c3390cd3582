-- Up Migration

-- The requests of an account that search engines refused on a day (docs/decisions/0111).
CREATE TABLE indexnow_refusals (
  account_id text    PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  refused_on date    NOT NULL,
  requests   integer NOT NULL
);

ALTER TABLE indexnow_batches
  -- The most batches that one request takes together with this one.
  ADD COLUMN together integer NOT NULL DEFAULT 500;

ALTER TABLE indexnow_hosts
  -- All requests on the day `sent_on`, and those of them that were refused.
  ADD COLUMN sent_requests integer NOT NULL DEFAULT 0,
  ADD COLUMN refused_requests integer NOT NULL DEFAULT 0,
  -- The number of refused requests in a row.
  ADD COLUMN refusals integer NOT NULL DEFAULT 0;

ALTER TABLE comparisons
  -- Of a delta whose upload below is not compared yet: the URLs by origin that the deltas on that upload have added, less those removed.
  ADD COLUMN added_origins jsonb;
