-- Up Migration

-- For reading one shard of the host directory (sites/host-directory.ts): the low six bits of the hash's first byte.
CREATE INDEX domains_host_shard ON domains ((get_byte(sha256(hostname::bytea), 0) % 64))
 WHERE status IN ('verified', 'active');
