-- Up Migration

-- The collector deletes the rows of uploads and files with their objects, in portions, also those of a deleted domain. In the deletion of a
-- domain they took minutes under its lock.
ALTER TABLE uploads DROP CONSTRAINT uploads_domain_id_fkey;
