-- Up Migration

-- The mistakes of a refused attempt by cause (docs/decisions/0064), at most 20. Null for an attempt from before, and for one without mistakes.
ALTER TABLE attempts ADD COLUMN kinds json;
