-- Up Migration

-- What an account may read in buckets of others (docs/decisions/0074). `secrets`: its keys, sealed (platform/key-ring.ts). Null: no
-- key of CERTIFICATE_KEYS opens them any more, and their owner must set them again.
CREATE TABLE connections (
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL,
  endpoint text NOT NULL,
  region text NOT NULL,
  buckets text[] NOT NULL,
  secrets jsonb,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, name)
);
CREATE INDEX connections_sealed_by ON connections ((secrets->>'keyId')) WHERE secrets IS NOT NULL;

-- A digest of the list of a load: names, entity tags and lengths. Null if it does not pin every object. A load with the same list as
-- that of the live upload has nothing to read.
ALTER TABLE loads ADD COLUMN list_print text;
ALTER TABLE uploads ADD COLUMN list_print text;
