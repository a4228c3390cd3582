-- Up Migration

-- Room for a new version of a row beside the old one: then no index changes. It applies to pages that are filled from now on.
ALTER TABLE domains SET (fillfactor = 90);
ALTER TABLE uploads SET (fillfactor = 90);
ALTER TABLE api_keys SET (fillfactor = 90);
-- Here it keeps rows together. Without it, each new row goes to another page in which an old one has left a little room, and after
-- a checkpoint each of these pages is written to the log as a whole.
ALTER TABLE webhook_events SET (fillfactor = 90);
