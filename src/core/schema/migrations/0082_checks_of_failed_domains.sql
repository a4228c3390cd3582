-- Up Migration

-- A domain that failed for lack of a certificate keeps its check_at, which says whether its DNS records are checked when it recovers. The
-- version before set it to null.
SELECT add_backfill('domains.failed_checks');
