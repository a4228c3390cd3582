-- Domains that wait for their verification are checked by themselves. Those that wait already are due within a quarter of an hour.
UPDATE domains SET check_at = now() + random() * interval '15 minutes'
 WHERE status = 'pending_verification' AND hostname <> 'localhost' AND hostname NOT LIKE '%.localhost';

-- One for each queue: neither looks past the rows of the other.
DROP INDEX domains_check_at;
CREATE INDEX domains_served_check_at ON domains (check_at) WHERE status IN ('verified', 'active');
CREATE INDEX domains_pending_check_at ON domains (check_at) WHERE status = 'pending_verification';
