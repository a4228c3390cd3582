-- Up Migration

-- Who added the domain: the id of a person or a key. Null for domains made before, and for those of operators.
ALTER TABLE domains
  ADD COLUMN added_by  text,
  -- Days with changes of `url_count`, the oldest first, at most eight, and the count before the first change of each (docs/decisions/0087).
  ADD COLUMN past_days date[],
  ADD COLUMN past_urls bigint[];
