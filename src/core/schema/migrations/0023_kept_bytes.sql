-- Up Migration

-- The sum of `garbage.bytes` by account. The next table has the changes since this sum was last made.
CREATE TABLE kept_bytes (
  account_id text PRIMARY KEY,
  bytes      bigint NOT NULL
);
CREATE TABLE kept_bytes_changes (
  account_id text NOT NULL,
  bytes      bigint NOT NULL
);

-- Each change of `garbage` inserts its change of the sum in the same transaction. It locks no common row, so it waits
-- for no other transaction.
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

-- If the column has a number, the only objects of the upload are this many parts of its list of changes. If it is
-- null, only a listing of the store tells which objects there are.
ALTER TABLE uploads ADD COLUMN objects integer;
