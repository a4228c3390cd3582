-- Up Migration

ALTER TABLE domains
  -- What the last check of the DNS records means (features/domains/judgement.ts). Null before the first check.
  ADD COLUMN dns_judgement json,
  -- Whether the hostname may have a website: it looked so when it was registered. Its owner may say that it has none.
  -- Null: not known.
  ADD COLUMN website boolean;
