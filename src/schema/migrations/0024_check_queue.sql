-- Up Migration

-- When the last wrong answer came that counted in wrong_checks.
ALTER TABLE domains ADD COLUMN wrong_at timestamptz;

-- Token buckets of work that all processes share.
CREATE TABLE paces (
  name       text PRIMARY KEY,
  per_second double precision NOT NULL,
  tokens     double precision NOT NULL,
  tokens_at  timestamptz NOT NULL DEFAULT now()
);
INSERT INTO paces (name, per_second, tokens) VALUES ('domain checks', 1, 60);
