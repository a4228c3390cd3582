-- Up Migration

-- When a sitemap is loaded again by itself (docs/decisions/0075). All times come from the clock of the database.
CREATE TABLE schedules (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  domain_id text NOT NULL REFERENCES domains ON DELETE CASCADE,
  sitemap_name text NOT NULL,
  -- Null: it has no times, only a hook.
  cron text,
  timezone text NOT NULL,
  -- The least minutes between two of its times. Null without any.
  gap_minutes integer,
  -- A run is due so long after its time, because many schedules have the same times.
  spread_ms integer NOT NULL,
  -- What to load: the request, and the terms of the session.
  asked json NOT NULL,
  terms json NOT NULL,
  is_enabled boolean NOT NULL,
  -- The SHA-256 of the token in the address of its hook.
  hook_hash bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The next of its times. Null while it is paused, and without any.
  planned_at timestamptz,
  -- When a run was asked for that has not begun, when it is due, and by whom: `hook` or `person`.
  asked_at timestamptz,
  asked_due_at timestamptz,
  asked_by text,
  -- The load of the run under way.
  load_id text,
  runs integer NOT NULL DEFAULT 0,
  -- In a row, since then.
  failures integer NOT NULL DEFAULT 0,
  failed_since timestamptz,
  -- Since when its run waits for another load of the account to end.
  waits_since timestamptz,
  -- When a process is to look at it. Null: there is nothing to do.
  due_at timestamptz,
  -- It rises with every change.
  fence bigint NOT NULL DEFAULT 0,
  UNIQUE (domain_id, sitemap_name)
);
CREATE INDEX schedules_account ON schedules (account_id);
CREATE INDEX schedules_due ON schedules (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX schedules_hook ON schedules (hook_hash) WHERE hook_hash IS NOT NULL;
CREATE UNIQUE INDEX schedules_load ON schedules (load_id) WHERE load_id IS NOT NULL;
CREATE INDEX schedules_waiting ON schedules (account_id, waits_since) WHERE waits_since IS NOT NULL;
CREATE INDEX schedules_failing ON schedules (account_id) WHERE failures > 0;

-- The last runs of each schedule.
CREATE TABLE schedule_runs (
  schedule_id text NOT NULL REFERENCES schedules ON DELETE CASCADE,
  n integer NOT NULL,
  -- `time`, `hook` or `person`.
  cause text NOT NULL,
  -- The time that it stands for. Null if it was only asked for.
  planned_at timestamptz,
  began_at timestamptz NOT NULL DEFAULT now(),
  -- Null while it is under way.
  ended_at timestamptz,
  outcome text,
  upload_id text,
  code text,
  message text,
  PRIMARY KEY (schedule_id, n)
);

-- The schedule that asked for it, in place of a key or a person.
ALTER TABLE loads ADD COLUMN schedule_id text;

-- Whatever ends a load, its schedule is looked at, and the one of the account that has waited longest for room.
CREATE FUNCTION wake_schedules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE schedules SET due_at = now(), fence = fence + 1 WHERE load_id = NEW.id OR id = (
    SELECT id FROM schedules WHERE account_id = NEW.account_id AND waits_since IS NOT NULL
     ORDER BY waits_since LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED);
  RETURN NULL;
END $$;
CREATE TRIGGER wake_schedules AFTER UPDATE OF ended_at ON loads FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION wake_schedules();
