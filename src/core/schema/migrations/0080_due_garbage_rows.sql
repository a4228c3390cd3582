-- Up Migration

-- Writers list new times since the migration before, so this locks nothing. A time that changes meanwhile is listed twice, which does
-- no harm.
INSERT INTO due_garbage SELECT collect_after, prefix FROM garbage WHERE collect_after < 'infinity';
