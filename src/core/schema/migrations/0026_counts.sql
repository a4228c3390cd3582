-- Up Migration

-- Sums over whole tables, for metrics. One job counts for all processes (operations/counts.ts).
CREATE TABLE counts (
  name       text PRIMARY KEY,
  value      jsonb NOT NULL,
  counted_at timestamptz NOT NULL,
  -- How long the count took.
  seconds    double precision NOT NULL
);
