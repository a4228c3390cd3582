-- Up Migration

-- Our account at each certificate authority (docs/decisions/0022). Keys are sealed (platform/key-ring.ts), as in the
-- table below.
CREATE TABLE acme_accounts (
  directory    text PRIMARY KEY,
  key          jsonb NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  -- A token bucket of new orders.
  order_tokens double precision NOT NULL,
  tokens_at    timestamptz NOT NULL DEFAULT now(),
  -- The authority asked us to wait.
  paused_until timestamptz
);

-- What an account has, or wants, for a hostname. The row remains for a while when the domain is deleted, because
-- authorities issue few certificates for the same hostname.
CREATE TABLE certificates (
  account_id    text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  hostname      text NOT NULL,
  domain_id     text UNIQUE REFERENCES domains ON DELETE SET NULL,

  -- The newest certificate. Null before the first.
  chain         text,
  key           jsonb,
  -- Null for the local authority.
  directory     text,
  issuer        text,
  not_before    timestamptz,
  not_after     timestamptz,
  -- RFC 9773, section 4.1.
  ari_id        text,
  renew_at      timestamptz,
  ari_check_at  timestamptz,

  -- The order under way: its key is in use since before the order is finalized.
  order_directory text,
  order_url     text,
  order_key     jsonb,

  -- The next attempt. Null while nothing is to be done.
  due_at        timestamptz,
  -- Failed attempts in a row, and the first of them.
  failures      integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  last_error    text,

  -- Whoever works on it holds the lease. The fence rises with each lease, so a former holder changes nothing.
  leased_until  timestamptz,
  fence         bigint NOT NULL DEFAULT 0,

  PRIMARY KEY (account_id, hostname)
);
CREATE INDEX certificates_due_at ON certificates (due_at);
CREATE INDEX certificates_ari_check_at ON certificates (ari_check_at);
