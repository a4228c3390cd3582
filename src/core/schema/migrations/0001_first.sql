-- Up Migration

CREATE TABLE accounts (
  id         text PRIMARY KEY,
  name       text NOT NULL,
  plan       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE api_keys (
  id           text PRIMARY KEY,
  account_id   text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name         text NOT NULL,
  prefix       text NOT NULL,
  key_hash     bytea NOT NULL UNIQUE,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  expires_at   timestamptz,
  revoked_at   timestamptz
);
CREATE INDEX api_keys_account_id ON api_keys (account_id);

-- One sequence for all domains. When a hostname is deleted and registered again, its generation keeps rising, so a
-- late writer of the old site never looks newer than the new one (fencing).
CREATE SEQUENCE site_generations;

CREATE TABLE domains (
  id           text PRIMARY KEY,
  account_id   text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  hostname     text NOT NULL CONSTRAINT domains_hostname_is_unique UNIQUE,
  status       text NOT NULL CHECK (status IN ('pending_verification', 'verified', 'active', 'failed')),
  ssl_status   text NOT NULL CHECK (ssl_status IN ('pending', 'provisioning', 'active', 'failed')),
  cname_target text NOT NULL,
  -- Lists show the newest first, and created_at is not unique.
  position     bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  generation   bigint NOT NULL DEFAULT nextval('site_generations'),
  created_at   timestamptz NOT NULL DEFAULT now(),
  verified_at  timestamptz
);
CREATE INDEX domains_account_id ON domains (account_id, position DESC);

-- The table has published uploads only. Staged ones are in `garbage`.
CREATE TABLE uploads (
  id           text PRIMARY KEY,
  domain_id    text NOT NULL REFERENCES domains ON DELETE CASCADE,
  sitemap_name text NOT NULL,
  url_count    bigint NOT NULL,
  file_count   integer NOT NULL,
  bytes        bigint NOT NULL,
  gzip_bytes   bigint NOT NULL,
  published_at timestamptz NOT NULL DEFAULT now(),
  replaced_at  timestamptz
);
CREATE INDEX uploads_domain_id ON uploads (domain_id);

CREATE TABLE upload_files (
  upload_id     text NOT NULL REFERENCES uploads ON DELETE CASCADE,
  n             integer NOT NULL,
  entries       integer NOT NULL,
  bytes         integer NOT NULL,
  gzip_bytes    integer NOT NULL,
  etag          text NOT NULL,
  last_modified timestamptz NOT NULL,
  PRIMARY KEY (upload_id, n)
);

CREATE TABLE sitemaps (
  domain_id  text NOT NULL REFERENCES domains ON DELETE CASCADE,
  name       text NOT NULL,
  upload_id  text NOT NULL UNIQUE REFERENCES uploads,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (domain_id, name)
);

-- Prefixes of objects without references, which may be deleted from `collect_after` on. A staged upload is listed
-- before its first object is written, and the transaction that publishes it removes the row.
CREATE TABLE garbage (
  prefix        text PRIMARY KEY,
  collect_after timestamptz NOT NULL
);
CREATE INDEX garbage_collect_after ON garbage (collect_after);

-- Counts of rate limits. `expire` is the end of the window, in milliseconds of Unix time. A crash loses the counts of one
-- minute.
CREATE UNLOGGED TABLE rate_limits (
  key    varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);
