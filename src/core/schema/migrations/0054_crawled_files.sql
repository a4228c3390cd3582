-- Up Migration

-- The last visit of each kind of crawler to each file, and how often it came (docs/decisions/0066). Answers of 400 and above
-- are no visits.
CREATE TABLE file_visits (
  domain_id text        NOT NULL REFERENCES domains ON DELETE CASCADE,
  file      text        NOT NULL COLLATE "C",
  crawler   text        NOT NULL COLLATE "C",
  status    smallint    NOT NULL,
  requests  bigint      NOT NULL,
  last_at   timestamptz NOT NULL,
  -- The day of `last_at` in UTC. Old visits are found by it: an index of `last_at` itself would change with each visit.
  last_day  date        NOT NULL GENERATED ALWAYS AS ((last_at AT TIME ZONE 'UTC')::date) STORED,
  PRIMARY KEY (domain_id, file, crawler)
);
CREATE INDEX file_visits_last_day ON file_visits (last_day);

-- Answers of 400 and above, by file and day. 404: the domain had no such file. '': more files than are kept by name.
CREATE TABLE file_errors (
  domain_id text        NOT NULL REFERENCES domains ON DELETE CASCADE,
  day       date        NOT NULL,
  file      text        NOT NULL COLLATE "C",
  crawler   text        NOT NULL COLLATE "C",
  status    smallint    NOT NULL,
  requests  bigint      NOT NULL,
  last_at   timestamptz NOT NULL,
  PRIMARY KEY (domain_id, day, file, crawler, status)
);
CREATE INDEX file_errors_day ON file_errors (day);
