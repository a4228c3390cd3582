-- Up Migration

-- When the sitemap's live upload is due to be compared. Null once it is compared. A process that takes the sitemap moves the
-- time on. Older versions set only `comparing_until` and `compare_after`, and the job `comparisons.sweep` finds those
-- comparisons.
ALTER TABLE sitemaps
  ADD COLUMN compare_at      timestamptz,
  -- The account of the domain. Accounts take turns.
  ADD COLUMN compare_account text,
  -- 0 for sitemaps of few URLs, 1 for those of many.
  ADD COLUMN compare_lane    smallint;
