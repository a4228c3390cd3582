-- Up Migration

-- When the user last used the account, as far as the sessions are known that have ended since. The next sign-in begins in the account that
-- was used last.
ALTER TABLE members ADD COLUMN last_used_at timestamptz;
