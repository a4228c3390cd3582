-- Up Migration

-- What an operator has set over the setting PLANS. Null: as in the setting.
CREATE TABLE plans (
  name                text PRIMARY KEY,
  requests_per_minute bigint CHECK (requests_per_minute >= 1),
  domains             bigint CHECK (domains >= 1),
  urls_per_upload     bigint CHECK (urls_per_upload >= 1),
  stored_bytes        bigint CHECK (stored_bytes >= 1),
  sitemaps_per_domain bigint CHECK (sitemaps_per_domain >= 1),
  changed_at          timestamptz NOT NULL DEFAULT now(),
  changed_by          text NOT NULL
);

-- Examinations by the doctor that somebody has asked for by the operator's API. Null in `ended_at`: not over yet.
CREATE TABLE examinations (
  id         text PRIMARY KEY,
  position   bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  -- Null: all domains.
  hostname   text,
  asked_by   text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at   timestamptz,
  -- What was found, or why the examination failed.
  result     json,
  failure    text
);

-- Tables that exist come last: until the end, no other transaction may use them.
-- The name of the account at the operator's own systems (docs/decisions/0077).
ALTER TABLE accounts ADD COLUMN external_ref text;

-- Operators have requests with an Idempotency-Key too, and no account. The answers of a deleted account are deleted with it by a
-- statement.
ALTER TABLE idempotency_claims DROP CONSTRAINT idempotency_claims_account_id_fkey;
