-- Up Migration

-- Where the entries of an upload go (docs/decisions/0055): `stable` leaves each in the file that it is in, `order` follows the list.
ALTER TABLE domains ADD COLUMN placement text NOT NULL DEFAULT 'stable';
ALTER TABLE domains ADD CONSTRAINT domains_placement_check CHECK (placement IN ('stable', 'order')) NOT VALID;
-- A generation that is due and shares files with others ends first: no rollback can restore it. Then the files that only ended
-- generations have are listed one by one (`trimmed_at`), although a later generation may still need others of its prefix.
ALTER TABLE garbage ADD COLUMN ended_at timestamptz, ADD COLUMN trimmed_at timestamptz;
