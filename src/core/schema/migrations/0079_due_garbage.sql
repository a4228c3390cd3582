-- Up Migration

-- The times from which prefixes may be collected, for the collector's walk. An index on garbage (collect_after) would make each change of
-- a time a new version of the row, with a new entry among the prefixes of its age: often a page of the log
-- (docs/decisions/0105). A prefix may have several rows here, and only that with the time of its row in garbage counts.
CREATE TABLE due_garbage (
  collect_after timestamptz NOT NULL,
  prefix        text NOT NULL
);
CREATE INDEX due_garbage_in_order ON due_garbage (collect_after, prefix);

-- The new version of a row stays on its page.
ALTER TABLE garbage SET (fillfactor = 90);

CREATE FUNCTION list_due_garbage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO due_garbage (collect_after, prefix) VALUES (NEW.collect_after, NEW.prefix);
  RETURN NULL;
END $$;
CREATE TRIGGER list_inserted AFTER INSERT ON garbage FOR EACH ROW
  WHEN (NEW.collect_after < 'infinity') EXECUTE FUNCTION list_due_garbage();
CREATE TRIGGER list_updated AFTER UPDATE OF collect_after ON garbage FOR EACH ROW
  WHEN (NEW.collect_after < 'infinity' AND NEW.collect_after <> OLD.collect_after) EXECUTE FUNCTION list_due_garbage();

-- The times of the rows that are there already.
SELECT add_backfill('garbage.due');
