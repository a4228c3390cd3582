-- Up Migration

-- Receivers of events (Standard Webhooks). Their secrets are derived from id and version, and never stored.
CREATE TABLE webhook_endpoints (
  id             text PRIMARY KEY,
  account_id     text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  position       bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  url            text NOT NULL,
  description    text NOT NULL,
  -- Null means all types, also those that later versions add.
  event_types    text[],
  created_at     timestamptz NOT NULL DEFAULT now(),
  -- Until `former_until`, the secrets of the versions from `former_version` on sign too.
  secret_version integer NOT NULL DEFAULT 1,
  former_version integer NOT NULL DEFAULT 1,
  former_until   timestamptz,
  -- `disabled_at` is null while the endpoint is in use. `disabled_why` is a text for people.
  disabled_at    timestamptz,
  disabled_why   text,
  -- One process at a time delivers to the endpoint. A former holder of the lease has an older fence.
  leased_until   timestamptz,
  fence          bigint NOT NULL DEFAULT 0,
  attempted_at   timestamptz,
  -- Whether the last attempt took long.
  is_slow        boolean NOT NULL DEFAULT false,
  -- The time since which every attempt has failed.
  failing_since  timestamptz
);
CREATE INDEX webhook_endpoints_account_id ON webhook_endpoints (account_id, position DESC);

CREATE TABLE webhook_events (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  type       text NOT NULL,
  -- The type is not jsonb, which refuses U+0000 and unpaired surrogates. Refusals quote such input.
  data       json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_events_account_id ON webhook_events (account_id);
CREATE INDEX webhook_events_created_at ON webhook_events (created_at);

CREATE TABLE webhook_deliveries (
  event_id     text NOT NULL REFERENCES webhook_events ON DELETE CASCADE,
  endpoint_id  text NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  position     bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  -- When the next attempt is due. Null after the delivery has succeeded or is given up.
  due_at       timestamptz,
  attempts     integer NOT NULL DEFAULT 0,
  attempted_at timestamptz,
  delivered_at timestamptz,
  -- The status and the error of the last attempt. The error is a text for people.
  last_status  integer,
  last_error   text,
  PRIMARY KEY (event_id, endpoint_id)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_endpoint_id ON webhook_deliveries (endpoint_id, position DESC);
