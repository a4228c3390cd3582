-- Up Migration

-- An upload is withdrawn if its sitemap is deleted, or if its files are collected early. No site may name it as a
-- former one.
ALTER TABLE uploads ADD COLUMN withdrawn boolean NOT NULL DEFAULT false;
UPDATE uploads AS u SET withdrawn = true
 WHERE replaced_at IS NOT NULL
   AND NOT EXISTS (SELECT FROM sitemaps AS s WHERE s.domain_id = u.domain_id AND s.name = u.sitemap_name);

-- The gzip bytes of all live files of the domain. An account's bytes are the sum over its domains.
ALTER TABLE domains ADD COLUMN stored_bytes bigint NOT NULL DEFAULT 0;
UPDATE domains AS d SET stored_bytes =
  (SELECT coalesce(sum(u.gzip_bytes), 0)
     FROM sitemaps AS s JOIN uploads AS u ON u.id = s.upload_id WHERE s.domain_id = d.id);

-- The account and the gzip bytes of a formerly live upload. They remain when the domain and its rows are gone.
ALTER TABLE garbage ADD COLUMN account_id text, ADD COLUMN bytes bigint NOT NULL DEFAULT 0;

-- Lists of sitemaps are in this order.
CREATE INDEX sitemaps_by_name ON sitemaps (domain_id, name COLLATE "C");
