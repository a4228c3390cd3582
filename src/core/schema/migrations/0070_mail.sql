-- Up Migration

-- Accounts in which somebody wants to hear of needs, and when the next look is due.
CREATE TABLE told_accounts (
  account_id text PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  due_at     timestamptz NOT NULL DEFAULT now(),
  -- Null before the first look, which tells nobody of what is known already.
  looked_at  timestamptz
);
CREATE INDEX told_accounts_due_at ON told_accounts (due_at);

-- Needs that are open, as they were told (docs/decisions/0079).
CREATE TABLE incidents (
  account_id text NOT NULL REFERENCES told_accounts ON DELETE CASCADE,
  kind       text NOT NULL,
  domain_id  text NOT NULL,
  subject    text NOT NULL,
  opened_at  timestamptz NOT NULL DEFAULT now(),
  -- The words of the message. Null: nobody was told.
  told       json,
  PRIMARY KEY (account_id, kind, domain_id, subject)
);

-- A person who wants mails of an account is an endpoint of the format `email`: `url` is the address, `event_types` are the topics.
ALTER TABLE webhook_endpoints
  ADD COLUMN user_id   text,
  -- When its owner proved the address. Until then it gets nothing but the proof.
  ADD COLUMN proven_at timestamptz,
  -- When the next weekly digest is due. Null: none is wanted.
  ADD COLUMN digest_at timestamptz;
-- The end of a membership ends its mails.
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_member
  FOREIGN KEY (account_id, user_id) REFERENCES members ON DELETE CASCADE NOT VALID;

CREATE FUNCTION watch_needs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO told_accounts (account_id) VALUES (NEW.account_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER watch_needs AFTER INSERT OR UPDATE OF event_types, proven_at ON webhook_endpoints FOR EACH ROW
  WHEN (NEW.proven_at IS NOT NULL OR NEW.event_types && ARRAY['need.opened', 'need.closed']) EXECUTE FUNCTION watch_needs();
