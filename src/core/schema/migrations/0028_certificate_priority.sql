-- Up Migration

-- The order of first certificates, while authorities allow fewer than are wanted. 0: crawlers visit the domain. 1: it was verified
-- lately. 2: all others.
ALTER TABLE certificates ADD COLUMN priority smallint NOT NULL DEFAULT 1;
