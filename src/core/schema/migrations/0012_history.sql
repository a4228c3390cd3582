-- Up Migration

-- Each row of `uploads` is a generation of its sitemap: an upload, or a rollback (docs/decisions/0030).
ALTER TABLE uploads
  -- The number of the generation. It rises by one with each publication of the sitemap, and is never used again.
  ADD COLUMN seq      integer,
  ADD COLUMN kind     text NOT NULL DEFAULT 'upload' CHECK (kind IN ('upload', 'rollback')),
  -- The seq of the generation that a rollback restored.
  ADD COLUMN restores integer;
UPDATE uploads AS u SET seq = numbered.seq
  FROM (SELECT id, row_number() OVER (PARTITION BY domain_id, sitemap_name
                                      ORDER BY replaced_at NULLS LAST, published_at, id) AS seq
          FROM uploads) AS numbered
 WHERE u.id = numbered.id;
ALTER TABLE uploads ALTER COLUMN seq SET NOT NULL;
CREATE UNIQUE INDEX uploads_seq ON uploads (domain_id, sitemap_name, seq);
DROP INDEX uploads_domain_id;

ALTER TABLE domains
  -- The highest seq of the sitemaps that were deleted. New sitemaps of the domain continue from that number.
  ADD COLUMN deleted_seq integer NOT NULL DEFAULT 0;
UPDATE domains AS d SET deleted_seq = deleted.seq
  FROM (SELECT domain_id, max(seq) AS seq FROM uploads WHERE withdrawn GROUP BY domain_id) AS deleted
 WHERE d.id = deleted.domain_id;

-- The files of all generations of a sitemap. File `n` of the generations from `from_seq` up to, but not including,
-- `to_seq` is the object `upload_n` of an upload. `to_seq` is null while the file is live. A row is deleted with the last
-- generation that has the file.
ALTER TABLE upload_files RENAME TO sitemap_files;
ALTER TABLE sitemap_files RENAME COLUMN n TO upload_n;
ALTER TABLE sitemap_files
  ADD COLUMN domain_id    text,
  ADD COLUMN sitemap_name text,
  ADD COLUMN n            integer,
  ADD COLUMN from_seq     integer,
  ADD COLUMN to_seq       integer;
UPDATE sitemap_files AS f
   SET domain_id = u.domain_id, sitemap_name = u.sitemap_name, n = f.upload_n, from_seq = u.seq,
       to_seq = CASE WHEN u.replaced_at IS NULL THEN NULL ELSE u.seq + 1 END
  FROM uploads AS u WHERE u.id = f.upload_id;
ALTER TABLE sitemap_files
  ALTER COLUMN domain_id SET NOT NULL,
  ALTER COLUMN sitemap_name SET NOT NULL,
  ALTER COLUMN n SET NOT NULL,
  ALTER COLUMN from_seq SET NOT NULL,
  DROP CONSTRAINT upload_files_pkey,
  DROP CONSTRAINT upload_files_upload_id_fkey,
  ADD PRIMARY KEY (domain_id, sitemap_name, from_seq, n),
  -- This prevents the collection of an upload while a generation has its objects.
  ADD FOREIGN KEY (upload_id) REFERENCES uploads;
CREATE INDEX sitemap_files_upload_id ON sitemap_files (upload_id);
CREATE INDEX sitemap_files_live ON sitemap_files (domain_id, sitemap_name) WHERE to_seq IS NULL;

CREATE FUNCTION delete_files_of_generation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM sitemap_files AS f
   WHERE f.domain_id = OLD.domain_id AND f.sitemap_name = OLD.sitemap_name
     AND f.from_seq <= OLD.seq AND (f.to_seq IS NULL OR f.to_seq > OLD.seq)
     AND NOT EXISTS (SELECT FROM uploads AS u
                      WHERE u.domain_id = OLD.domain_id AND u.sitemap_name = OLD.sitemap_name AND u.id <> OLD.id
                        AND u.seq >= f.from_seq AND (f.to_seq IS NULL OR u.seq < f.to_seq));
  -- The objects of a kept generation are never due. Those of a deleted domain are.
  UPDATE garbage SET collect_after = now() + interval '1 day'
   WHERE prefix = 'uploads/' || OLD.id || '/' AND collect_after = 'infinity';
  RETURN OLD;
END $$;
CREATE TRIGGER delete_files BEFORE DELETE ON uploads FOR EACH ROW EXECUTE FUNCTION delete_files_of_generation();

-- When the prefix was listed. The oldest replaced generations are collected first.
ALTER TABLE garbage ADD COLUMN listed_at timestamptz NOT NULL DEFAULT now();
UPDATE garbage SET listed_at = collect_after - interval '1 day' WHERE account_id IS NOT NULL;
-- A kept generation is listed too, so that its bytes count. But it is never due.
UPDATE garbage AS g SET collect_after = 'infinity'
  FROM uploads AS u, sitemaps AS s, uploads AS live
 WHERE g.prefix = 'uploads/' || u.id || '/' AND NOT u.withdrawn
   AND s.domain_id = u.domain_id AND s.name = u.sitemap_name AND live.id = s.upload_id AND u.seq > live.seq - 10;

-- All ended attempts to upload.
CREATE TABLE attempts (
  -- The id of the upload, published or not.
  id             text PRIMARY KEY,
  position       bigint GENERATED ALWAYS AS IDENTITY,
  domain_id      text NOT NULL REFERENCES domains ON DELETE CASCADE,
  -- Empty for the unnamed sitemap. Null if the request never named one.
  sitemap_name   text,
  outcome        text NOT NULL CHECK (outcome IN ('published', 'refused', 'held', 'failed', 'abandoned', 'dry_run')),
  started_at     timestamptz NOT NULL,
  ended_at       timestamptz NOT NULL DEFAULT now(),
  form           text NOT NULL,
  encoding       text,
  bytes_received bigint NOT NULL,
  url_count      bigint NOT NULL,
  file_count     integer NOT NULL,
  rejected       bigint NOT NULL,
  -- The number of the generation that the upload became.
  seq            integer,
  code           text,
  message        text,
  -- The first violations, and the number of all violations.
  errors         json NOT NULL DEFAULT '[]',
  error_count    bigint NOT NULL DEFAULT 0,
  user_agent     text,
  key_id         text NOT NULL
);
CREATE INDEX attempts_domain_id ON attempts (domain_id, position DESC);
CREATE INDEX attempts_ended_at ON attempts (ended_at);

-- The attempt that uses the slot, once its domain is known (docs/decisions/0030).
ALTER TABLE upload_slots ADD COLUMN progress json;

-- The triggers and the view below serve processes of the previous version, until they are replaced. These write uploads
-- without a seq, and files to a table that is now a view.
CREATE FUNCTION number_generation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.seq := 1 + greatest((SELECT max(seq) FROM uploads
                            WHERE domain_id = NEW.domain_id AND sitemap_name = NEW.sitemap_name),
                          (SELECT deleted_seq FROM domains WHERE id = NEW.domain_id));
  UPDATE sitemap_files SET to_seq = NEW.seq
   WHERE domain_id = NEW.domain_id AND sitemap_name = NEW.sitemap_name AND to_seq IS NULL;
  UPDATE garbage AS g SET collect_after = now() + interval '1 day'
    FROM uploads AS u
   WHERE u.domain_id = NEW.domain_id AND u.sitemap_name = NEW.sitemap_name AND u.seq = NEW.seq - 10
     AND g.prefix = 'uploads/' || u.id || '/' AND g.collect_after = 'infinity';
  RETURN NEW;
END $$;
CREATE TRIGGER number_generation BEFORE INSERT ON uploads FOR EACH ROW
  WHEN (NEW.seq IS NULL) EXECUTE FUNCTION number_generation();
CREATE FUNCTION end_withdrawn_generation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE garbage SET collect_after = now() + interval '1 day'
   WHERE prefix = 'uploads/' || NEW.id || '/' AND collect_after = 'infinity';
  RETURN NULL;
END $$;
CREATE TRIGGER end_withdrawn_generation AFTER UPDATE OF withdrawn ON uploads FOR EACH ROW
  WHEN (NEW.withdrawn AND NOT OLD.withdrawn) EXECUTE FUNCTION end_withdrawn_generation();
CREATE FUNCTION place_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT domain_id, sitemap_name, seq, NEW.upload_n INTO NEW.domain_id, NEW.sitemap_name, NEW.from_seq, NEW.n
    FROM uploads WHERE id = NEW.upload_id;
  RETURN NEW;
END $$;
CREATE TRIGGER place_file BEFORE INSERT ON sitemap_files FOR EACH ROW
  WHEN (NEW.from_seq IS NULL) EXECUTE FUNCTION place_file();
CREATE VIEW upload_files AS
  SELECT upload_id, upload_n AS n, entries, bytes, gzip_bytes, etag, last_modified FROM sitemap_files;
