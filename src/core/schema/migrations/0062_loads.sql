-- Up Migration

-- An upload session whose parts this service pulls from hosts of others (docs/decisions/0068). `id`: that of the upload.
CREATE TABLE loads (
  id text PRIMARY KEY,
  session_id text NOT NULL,
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  domain_id text NOT NULL,
  hostname text NOT NULL,
  sitemap_name text NOT NULL,
  asked json NOT NULL,
  -- The key, or the person with a session of the dashboard. Without it, the load ends.
  key_id text,
  user_id text,
  user_session_id text,
  user_agent text,
  form text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz,
  fence bigint NOT NULL DEFAULT 0,
  -- How often a process has begun or gone on since an object was read: each may have died of it.
  begun integer NOT NULL DEFAULT 0,
  is_listed boolean NOT NULL DEFAULT false,
  objects integer NOT NULL DEFAULT 0,
  done integer NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  -- Of all objects, as sent. Null if the length of one is not known.
  bytes_total bigint DEFAULT 0,
  -- As the process that works on it said last.
  progress json,
  ended_at timestamptz
);
CREATE INDEX loads_running ON loads (account_id) WHERE ended_at IS NULL;
CREATE INDEX loads_due ON loads (created_at) WHERE ended_at IS NULL;
CREATE INDEX loads_ended ON loads (ended_at) WHERE ended_at IS NOT NULL;

-- What a load reads, in the order of `n`. The part of an object has the number n + 1.
CREATE TABLE load_objects (
  load_id text NOT NULL REFERENCES loads ON DELETE CASCADE,
  n integer NOT NULL,
  url text NOT NULL,
  -- How many indexes lead to it.
  depth integer NOT NULL,
  -- A strong entity tag, if the object had one when it was listed.
  etag text,
  bytes bigint,
  -- `listed`: an index, whose children follow it.
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'skipped', 'listed')),
  PRIMARY KEY (load_id, n)
);
CREATE INDEX load_objects_waiting ON load_objects (load_id, n) WHERE state = 'waiting';

ALTER TABLE attempts DROP CONSTRAINT attempts_outcome_check;
ALTER TABLE attempts ADD CONSTRAINT attempts_outcome_check
  CHECK (outcome IN ('published', 'unchanged', 'refused', 'held', 'failed', 'abandoned', 'dry_run', 'canceled')) NOT VALID;
