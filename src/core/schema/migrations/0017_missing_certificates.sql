-- Up Migration

-- Domains that were verified before certificates existed (0007) have no row in `certificates`. The backfill `certificates.missing`
-- inserts them (0020).
SELECT;
