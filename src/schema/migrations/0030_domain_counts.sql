-- Up Migration

-- What the live uploads of the domain add up to, as of one of its generations. If that is not the last one, a process of the version
-- before this one has changed the domain, and the sums are made anew (domains/domain-counts-store.ts).
ALTER TABLE domains
  ADD COLUMN counted_generation bigint,
  ADD COLUMN sitemap_count      bigint NOT NULL DEFAULT 0,
  ADD COLUMN url_count          bigint NOT NULL DEFAULT 0,
  ADD COLUMN file_count         bigint NOT NULL DEFAULT 0,
  -- As the host directory has it (sites/host-directory.ts). Null until the backfill was there.
  ADD COLUMN host_hash          bytea;
SELECT add_backfill('domains.counts'), add_backfill('domains.host_hashes');

CREATE FUNCTION hash_host() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.host_hash := substring(sha256(NEW.hostname::bytea) FOR 8);
  RETURN NEW;
END $$;
CREATE TRIGGER hash_host BEFORE INSERT ON domains FOR EACH ROW EXECUTE FUNCTION hash_host();
