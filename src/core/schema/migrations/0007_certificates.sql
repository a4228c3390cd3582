-- Up Migration

-- Our account at each certificate authority (docs/decisions/0022). Keys are sealed (platform/key-ring.ts), as in the
-- table below.
CREATE TABLE acme_accounts (
  directory    text PRIMARY KEY,
  key          jsonb NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  -- A token bucket limits new orders.
  order_tokens double precision NOT NULL,
  tokens_at    timestamptz NOT NULL DEFAULT now(),
  -- The authority asked us to wait until this time.
  paused_until timestamptz
);

-- The certificate that an account has or wants for a hostname. When the domain is deleted, the row remains for a
-- while, because authorities issue few certificates for the same hostname.
CREATE TABLE certificates (
  account_id    text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  hostname      text NOT NULL,
  domain_id     text UNIQUE REFERENCES domains ON DELETE SET NULL,

  -- The newest certificate. Null before the first one.
  chain         text,
  key           jsonb,
  -- Null if the local authority issued it.
  directory     text,
  issuer        text,
  not_before    timestamptz,
  not_after     timestamptz,
  -- The identifier for renewal information (RFC 9773, section 4.1).
  ari_id        text,
  renew_at      timestamptz,
  ari_check_at  timestamptz,

  -- The order under way. Its key is stored before the order is finalized.
  order_directory text,
  order_url     text,
  order_key     jsonb,

  -- The time of the next attempt. Null while no work is left.
  due_at        timestamptz,
  -- The number of failed attempts in a row, and the time of the first.
  failures      integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  last_error    text,

  -- The process that works on the row holds its lease. The fence rises with each lease, so a former holder cannot
  -- change the row.
  leased_until  timestamptz,
  fence         bigint NOT NULL DEFAULT 0,

  PRIMARY KEY (account_id, hostname)
);
CREATE INDEX certificates_due_at ON certificates (due_at);
CREATE INDEX certificates_ari_check_at ON certificates (ari_check_at);
