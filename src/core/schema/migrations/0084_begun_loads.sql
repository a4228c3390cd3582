-- Up Migration

-- When a process first took the load. The time that it waited does not count towards its 12 hours.
ALTER TABLE loads ADD COLUMN begun_at timestamptz;
