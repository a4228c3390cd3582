-- Up Migration

-- Domains that were verified before certificates existed (0007) have no row, so nothing would ever ask for one.
INSERT INTO certificates AS c (account_id, hostname, domain_id, due_at)
SELECT d.account_id, d.hostname, d.id, now() FROM domains d
 WHERE d.status IN ('verified', 'active') AND NOT EXISTS (SELECT FROM certificates o WHERE o.domain_id = d.id)
    ON CONFLICT (account_id, hostname) DO UPDATE SET domain_id = excluded.domain_id, due_at = excluded.due_at;
