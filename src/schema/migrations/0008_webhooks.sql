-- Up Migration

-- Receivers of events (Standard Webhooks). Their secrets are derived from id and version, and never stored.
CREATE TABLE webhook_endpoints (
  id             text PRIMARY KEY,
  account_id     text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  url            text NOT NULL,
  description    text NOT NULL DEFAULT '',
  event_types    text[] NOT NULL,
  secret_version integer NOT NULL DEFAULT 1,
  -- Until when the secret of the former version signs too.
  former_until   timestamptz,
  created_at     timestamptz NOT NULL DEFAULT now(),
  -- Null while it is in use; why it is not, for people.
  disabled_at    timestamptz,
  disabled_why   text
);
CREATE INDEX webhook_endpoints_account_id ON webhook_endpoints (account_id, created_at DESC);

CREATE TABLE webhook_events (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  type       text NOT NULL,
  data       jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_events_account_id ON webhook_events (account_id);
CREATE INDEX webhook_events_created_at ON webhook_events (created_at);

CREATE TABLE webhook_deliveries (
  event_id     text NOT NULL REFERENCES webhook_events ON DELETE CASCADE,
  endpoint_id  text NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  account_id   text NOT NULL,
  -- When the next attempt is due. Null when it was delivered, or is given up.
  due_at       timestamptz,
  -- Whoever delivers it holds the lease.
  leased_until timestamptz,
  attempts     integer NOT NULL DEFAULT 0,
  attempted_at timestamptz,
  delivered_at timestamptz,
  -- Of the last attempt: the status of the answer, and what was wrong, for people.
  last_status  integer,
  last_error   text,
  PRIMARY KEY (endpoint_id, event_id)
);
CREATE INDEX webhook_deliveries_due_at ON webhook_deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_event_id ON webhook_deliveries (event_id);
