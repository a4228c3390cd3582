-- Up Migration

-- Receivers of events (Standard Webhooks). Their secrets are derived from id and version, and never stored.
CREATE TABLE webhook_endpoints (
  id             text PRIMARY KEY,
  account_id     text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  position       bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  url            text NOT NULL,
  description    text NOT NULL,
  -- Null: all, also those that are added later.
  event_types    text[],
  created_at     timestamptz NOT NULL DEFAULT now(),
  -- The secrets of the versions from the former one on sign too, until that time.
  secret_version integer NOT NULL DEFAULT 1,
  former_version integer NOT NULL DEFAULT 1,
  former_until   timestamptz,
  -- Null while it is in use; why it is not, for people.
  disabled_at    timestamptz,
  disabled_why   text,
  -- One process delivers to it at a time. A former holder of the lease has an older fence.
  leased_until   timestamptz,
  fence          bigint NOT NULL DEFAULT 0,
  attempted_at   timestamptz,
  -- The last attempt took long.
  is_slow        boolean NOT NULL DEFAULT false,
  -- Since when every attempt has failed.
  failing_since  timestamptz
);
CREATE INDEX webhook_endpoints_account_id ON webhook_endpoints (account_id, position DESC);

CREATE TABLE webhook_events (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  type       text NOT NULL,
  -- Not jsonb, which refuses U+0000 and unpaired surrogates: refusals quote what strangers send.
  data       json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_events_account_id ON webhook_events (account_id);
CREATE INDEX webhook_events_created_at ON webhook_events (created_at);

CREATE TABLE webhook_deliveries (
  event_id     text NOT NULL REFERENCES webhook_events ON DELETE CASCADE,
  endpoint_id  text NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  position     bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  -- When the next attempt is due. Null when it was delivered, or is given up.
  due_at       timestamptz,
  attempts     integer NOT NULL DEFAULT 0,
  attempted_at timestamptz,
  delivered_at timestamptz,
  -- Of the last attempt: the status of the answer, and what was wrong, for people.
  last_status  integer,
  last_error   text,
  PRIMARY KEY (event_id, endpoint_id)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_endpoint_id ON webhook_deliveries (endpoint_id, position DESC);
