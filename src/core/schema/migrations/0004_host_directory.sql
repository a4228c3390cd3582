-- Up Migration

-- This index finds the hosts of one shard of the host directory (features/sites/host-directory.ts), by the low six bits of the
-- hash's first byte.
CREATE INDEX domains_host_shard ON domains ((get_byte(sha256(hostname::bytea), 0) % 64))
 WHERE status IN ('verified', 'active');
