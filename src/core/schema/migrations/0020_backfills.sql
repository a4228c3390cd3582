-- Up Migration

-- Changes of all rows of a table, which migrations leave to a job. It makes them in portions (core/schema/backfills.ts), while the
-- service runs.
CREATE TABLE backfills (
  name     text PRIMARY KEY,
  -- The key of the last row of the last portion.
  after    text NOT NULL DEFAULT '',
  rows     bigint NOT NULL DEFAULT 0,
  -- The number of rows that were locked in this pass.
  missed   bigint NOT NULL DEFAULT 0,
  added_at timestamptz NOT NULL DEFAULT now(),
  done_at  timestamptz
);
-- In an empty database, a backfill is done at once.
CREATE FUNCTION add_backfill(name text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO backfills (name, done_at) VALUES ($1, CASE WHEN NOT EXISTS (SELECT FROM accounts) THEN now() END)
$$;
SELECT add_backfill('certificates.missing'), add_backfill('domains.pending_checks'), add_backfill('keys.creators');
