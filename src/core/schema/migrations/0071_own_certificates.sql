-- Up Migration

-- The certificate of the API's own hostname, which is no customer's domain and has no site (docs/decisions/0080).
CREATE TABLE own_certificates (
  hostname text PRIMARY KEY,
  chain text,
  key jsonb,
  directory text,
  issuer text,
  not_before timestamptz,
  not_after timestamptz,
  ari_id text,
  renew_at timestamptz,
  due_at timestamptz NOT NULL DEFAULT now(),
  ari_check_at timestamptz,
  order_directory text,
  order_url text,
  order_key jsonb,
  failures integer NOT NULL DEFAULT 0,
  last_error text,
  fence bigint NOT NULL DEFAULT 0,
  leased_until timestamptz
);
