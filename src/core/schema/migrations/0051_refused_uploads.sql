-- Up Migration

-- How often in a row the uploads of a sitemap were refused. A publication writes nothing here: it makes `live_upload_id` another one
-- than that of the sitemap.
CREATE TABLE refused_uploads (
  domain_id      text        NOT NULL REFERENCES domains ON DELETE CASCADE,
  sitemap_name   text        NOT NULL,
  account_id     text        NOT NULL,
  times          integer     NOT NULL,
  -- The live upload when the last of them was refused. Null: there was none.
  live_upload_id text,
  last_at        timestamptz NOT NULL DEFAULT now(),
  -- The last of them.
  attempt_id     text        NOT NULL,
  PRIMARY KEY (domain_id, sitemap_name)
);
CREATE INDEX refused_uploads_account_id ON refused_uploads (account_id) WHERE times >= 3;

-- Names are the client's, so a domain has at most 1,000 rows. If it has more names, those without a refusal for a week make room.
CREATE FUNCTION count_refused_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM refused_uploads WHERE domain_id = NEW.domain_id AND sitemap_name = NEW.sitemap_name)
     AND (SELECT count(*) FROM refused_uploads WHERE domain_id = NEW.domain_id) >= 1000 THEN
    DELETE FROM refused_uploads WHERE (domain_id, sitemap_name) IN (
      SELECT domain_id, sitemap_name FROM refused_uploads
       WHERE domain_id = NEW.domain_id AND last_at < now() - interval '7 days' FOR UPDATE SKIP LOCKED);
    IF NOT FOUND THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO refused_uploads AS r (domain_id, sitemap_name, account_id, times, live_upload_id, attempt_id)
  SELECT d.id, NEW.sitemap_name, d.account_id, 1, s.upload_id, NEW.id
    FROM domains d LEFT JOIN sitemaps s ON s.domain_id = d.id AND s.name = NEW.sitemap_name WHERE d.id = NEW.domain_id
  ON CONFLICT (domain_id, sitemap_name) DO UPDATE
    SET times = 1 + CASE WHEN r.live_upload_id IS DISTINCT FROM excluded.live_upload_id
                           OR EXISTS (SELECT FROM sitemaps s WHERE s.domain_id = r.domain_id AND s.name = r.sitemap_name
                                         AND s.confirmed_at > r.last_at)
                         THEN 0 ELSE r.times END,
        live_upload_id = excluded.live_upload_id, last_at = now(), attempt_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER count_refused AFTER INSERT ON attempts FOR EACH ROW
  WHEN (NEW.outcome = 'refused' AND NEW.sitemap_name IS NOT NULL) EXECUTE FUNCTION count_refused_upload();
