-- Up Migration

-- What a shard of the host directory is read by (sites/host-directory.ts): the low six bits of the hash.
CREATE INDEX domains_host_shard ON domains ((get_byte(sha256(hostname::bytea), 0) % 64))
 WHERE status IN ('verified', 'active');
