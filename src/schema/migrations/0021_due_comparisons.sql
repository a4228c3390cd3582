-- Up Migration

-- When the sitemap's live upload is due to be compared; null when it has been. Whoever takes it moves it on. A comparison of the
-- versions before this one has only `comparing_until` and `compare_after`, and the job `comparisons.sweep` finds it.
ALTER TABLE sitemaps
  ADD COLUMN compare_at      timestamptz,
  -- Whose turn it is. Of the domain.
  ADD COLUMN compare_account text,
  -- 0: few URLs. 1: many.
  ADD COLUMN compare_lane    smallint;
