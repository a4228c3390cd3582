-- Up Migration

-- The first account to verify a hostname holds it. Pending registrations do not block other accounts.
ALTER TABLE domains DROP CONSTRAINT domains_hostname_is_unique,
                    ADD CONSTRAINT domains_account_hostname_is_unique UNIQUE (account_id, hostname);
CREATE UNIQUE INDEX domains_served_hostname_is_unique ON domains (hostname)
 WHERE status IN ('verified', 'active');
CREATE INDEX domains_hostname ON domains (hostname);
CREATE INDEX domains_pending ON domains (created_at) WHERE status = 'pending_verification';

ALTER TABLE domains
  -- The reason why the domain failed, as a text for people.
  ADD COLUMN failure text,
  -- The last check of its DNS records: its time, the records that were found, and the problem with them.
  ADD COLUMN checked_at timestamptz,
  ADD COLUMN dns_found jsonb,
  ADD COLUMN dns_problem text,
  -- When the next check is due. Null for a domain that is not served, or is never checked.
  ADD COLUMN check_at timestamptz,
  -- The number of wrong answers in a row, the time of the first one, and the time since which the domain counts as
  -- moved (features/domains/watch.ts).
  ADD COLUMN wrong_checks integer NOT NULL DEFAULT 0,
  ADD COLUMN wrong_since timestamptz,
  ADD COLUMN moved_at timestamptz;
CREATE INDEX domains_check_at ON domains (check_at) WHERE check_at IS NOT NULL;

-- The first checks of all domains are spread over a day.
UPDATE domains SET check_at = now() + random() * interval '1 day'
 WHERE status IN ('verified', 'active') AND hostname NOT LIKE '%.localhost';
