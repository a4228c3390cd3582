-- Up Migration

-- These tables have no primary key. A publication FOR ALL TABLES, as for an upgrade by logical replication, would refuse their changes.
ALTER TABLE due_garbage REPLICA IDENTITY FULL;
ALTER TABLE kept_bytes_changes REPLICA IDENTITY FULL;
ALTER TABLE storage_mark REPLICA IDENTITY FULL;
ALTER TABLE usage_changes REPLICA IDENTITY FULL;
ALTER TABLE usage_readings REPLICA IDENTITY FULL;
