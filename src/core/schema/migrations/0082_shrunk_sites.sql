-- Up Migration

-- When the files of a domain last became fewer. The times of the other files do not tell that their index has lost an entry.
ALTER TABLE domains ADD COLUMN shrunk_at timestamptz;
