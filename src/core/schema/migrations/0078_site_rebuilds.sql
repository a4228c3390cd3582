-- Up Migration

-- What operators have asked to be written again, and how far that is (docs/decisions/0097).
CREATE TABLE rebuilds (
  id         text PRIMARY KEY,
  position   bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  asked_by   text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The hostnames up to this one are done.
  after      text NOT NULL DEFAULT '',
  sites      integer NOT NULL,
  written    integer NOT NULL DEFAULT 0,
  removed    integer NOT NULL DEFAULT 0,
  failed     integer NOT NULL DEFAULT 0,
  -- The first hostnames that failed, each with its reason.
  failures   json NOT NULL DEFAULT '[]',
  worked_at  timestamptz,
  ended_at   timestamptz
);
-- One at a time.
CREATE UNIQUE INDEX rebuilds_under_way ON rebuilds ((ended_at IS NULL)) WHERE ended_at IS NULL;
