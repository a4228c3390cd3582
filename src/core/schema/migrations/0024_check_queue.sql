-- Up Migration

-- Token buckets, which all processes share, limit the pace of work.
CREATE TABLE paces (
  name       text PRIMARY KEY,
  per_second double precision NOT NULL,
  tokens     double precision NOT NULL,
  tokens_at  timestamptz NOT NULL DEFAULT now()
);
INSERT INTO paces (name, per_second, tokens) VALUES ('domain checks', 1, 60);

-- The time of the last wrong answer that is counted in wrong_checks.
ALTER TABLE domains ADD COLUMN wrong_at timestamptz;
