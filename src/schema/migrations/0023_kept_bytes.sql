-- Up Migration

-- The sum of `garbage.bytes` by account, without the changes since it was last counted, which are in the next table.
CREATE TABLE kept_bytes (
  account_id text PRIMARY KEY,
  bytes      bigint NOT NULL
);
CREATE TABLE kept_bytes_changes (
  account_id text NOT NULL,
  bytes      bigint NOT NULL
);

-- Whoever changes `garbage` changes the sum in the same transaction, and waits for nobody.
CREATE FUNCTION count_kept_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO kept_bytes_changes
    SELECT account_id, sum(bytes) FROM new_rows WHERE account_id IS NOT NULL GROUP BY 1 HAVING sum(bytes) <> 0;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO kept_bytes_changes
    SELECT account_id, -sum(bytes) FROM old_rows WHERE account_id IS NOT NULL GROUP BY 1 HAVING sum(bytes) <> 0;
  ELSE
    INSERT INTO kept_bytes_changes
    SELECT account_id, sum(bytes)
      FROM (SELECT account_id, bytes FROM new_rows UNION ALL SELECT account_id, -bytes FROM old_rows) AS changed
     WHERE account_id IS NOT NULL GROUP BY 1 HAVING sum(bytes) <> 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_inserted AFTER INSERT ON garbage REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_kept_bytes();
CREATE TRIGGER count_updated AFTER UPDATE ON garbage REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_kept_bytes();
CREATE TRIGGER count_deleted AFTER DELETE ON garbage REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_kept_bytes();
SELECT add_backfill('garbage.kept_bytes');

-- The objects of the upload are this many parts of its changes, and nothing else; null: only the store knows.
ALTER TABLE uploads ADD COLUMN objects integer;
