-- Up Migration

-- An upload that comes in parts (docs/decisions/0067). Its objects are below the prefix of `upload_id`, which is in `garbage` until
-- the commit. The row there says when the session ends, and counts its bytes.
CREATE TABLE upload_sessions (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  domain_id text NOT NULL,
  hostname text NOT NULL,
  sitemap_name text NOT NULL,
  upload_id text NOT NULL,
  terms json NOT NULL,
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'committed', 'held', 'aborted', 'expired')),
  created_at timestamptz NOT NULL DEFAULT now(),
  parts integer NOT NULL DEFAULT 0,
  url_count bigint NOT NULL DEFAULT 0,
  gzip_bytes bigint NOT NULL DEFAULT 0,
  -- How often a writer began. Each writer has numbers of its own for its files.
  writers integer NOT NULL DEFAULT 0,
  committing_until timestamptz,
  commit_fence bigint NOT NULL DEFAULT 0,
  -- The publication, and the answer of the commit follows from it.
  published json,
  is_cleared boolean NOT NULL DEFAULT false
);
CREATE INDEX upload_sessions_open ON upload_sessions (account_id) WHERE status = 'open';
CREATE INDEX upload_sessions_uncleared ON upload_sessions (id) WHERE status <> 'open' AND NOT is_cleared;
CREATE INDEX upload_sessions_created_at ON upload_sessions (created_at);

CREATE TABLE upload_session_parts (
  session_id text NOT NULL REFERENCES upload_sessions ON DELETE CASCADE,
  part integer NOT NULL,
  -- The id of its lists of rejected entries.
  writer_id text NOT NULL,
  digest text NOT NULL,
  url_count bigint NOT NULL,
  rejected bigint NOT NULL,
  gzip_bytes bigint NOT NULL,
  -- The sum of the hashes of its entries (docs/decisions/0053).
  entries_digest bigint NOT NULL,
  files json NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (session_id, part)
);

-- Writers under way, and those that died: each may have stored objects with the first `claimed` of its numbers.
CREATE TABLE upload_session_writers (
  session_id text NOT NULL REFERENCES upload_sessions ON DELETE CASCADE,
  n integer NOT NULL,
  claimed integer NOT NULL,
  PRIMARY KEY (session_id, n)
);
