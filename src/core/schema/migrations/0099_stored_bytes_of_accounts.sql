-- Up Migration

-- The sum of `domains.stored_bytes` by account. A row that is not whole has only the changes since this migration: the first publication
-- of the account adds the rest.
CREATE TABLE account_bytes (
  account_id text PRIMARY KEY,
  bytes      bigint NOT NULL,
  is_whole   boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);

-- The publications of an account wait for each other already, by the lock of its row in `accounts`. A deletion of a domain takes this row
-- last, so it closes no circle of locks.
CREATE FUNCTION count_stored_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_bytes AS a (account_id, bytes)
  SELECT id, CASE TG_OP WHEN 'UPDATE' THEN NEW.stored_bytes ELSE 0 END - OLD.stored_bytes
    FROM accounts WHERE id = OLD.account_id
      ON CONFLICT (account_id) DO UPDATE SET bytes = a.bytes + excluded.bytes;
  RETURN NULL;
END $$;

-- A foreign key would lock the account for a deletion of a domain, which holds the domain: a circle with a deletion of the account.
CREATE FUNCTION forget_stored_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM account_bytes WHERE account_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_stored_bytes AFTER DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION forget_stored_bytes();

CREATE TRIGGER count_updated_bytes AFTER UPDATE OF stored_bytes ON domains FOR EACH ROW
  WHEN (NEW.stored_bytes <> OLD.stored_bytes) EXECUTE FUNCTION count_stored_bytes();
CREATE TRIGGER count_deleted_bytes AFTER DELETE ON domains FOR EACH ROW
  WHEN (OLD.stored_bytes <> 0) EXECUTE FUNCTION count_stored_bytes();
