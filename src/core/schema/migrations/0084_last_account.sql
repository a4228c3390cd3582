-- Up Migration

-- When the user last chose the account, or began a session in it. The next sign-in begins there, also after a sign-out has deleted the session.
ALTER TABLE members ADD COLUMN last_used_at timestamptz;
