-- Up Migration

-- The mark that the object storage of this database has (docs/decisions/0112).
CREATE TABLE storage_mark (
  mark      uuid    NOT NULL DEFAULT gen_random_uuid(),
  -- Whether the object was there once.
  is_stored boolean NOT NULL DEFAULT false
);

CREATE UNIQUE INDEX storage_mark_one ON storage_mark ((true));

INSERT INTO storage_mark DEFAULT VALUES;
