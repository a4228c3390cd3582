-- Up Migration

-- Sums over the live uploads of the domain, and the generation for which they are true. If that is not the latest generation, a
-- process of the previous version has changed the domain, and the sums are made anew (features/domains/domain-counts-store.ts).
ALTER TABLE domains
  ADD COLUMN counted_generation bigint,
  ADD COLUMN sitemap_count      bigint NOT NULL DEFAULT 0,
  ADD COLUMN url_count          bigint NOT NULL DEFAULT 0,
  ADD COLUMN file_count         bigint NOT NULL DEFAULT 0,
  -- The hash in the host directory (features/sites/host-directory.ts). Null until the backfill has reached the row.
  ADD COLUMN host_hash          bytea;
SELECT add_backfill('domains.counts'), add_backfill('domains.host_hashes');

CREATE FUNCTION hash_host() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.host_hash := substring(sha256(NEW.hostname::bytea) FOR 8);
  RETURN NEW;
END $$;
CREATE TRIGGER hash_host BEFORE INSERT ON domains FOR EACH ROW EXECUTE FUNCTION hash_host();
