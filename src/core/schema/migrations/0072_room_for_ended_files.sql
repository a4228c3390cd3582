-- Up Migration

-- A file ends with the next generation. With room on its page, its new version stays there, and the log has only what changed.
ALTER TABLE sitemap_files SET (fillfactor = 90);
