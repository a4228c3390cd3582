-- Up Migration

ALTER TABLE api_keys
  -- What the key may do (features/accounts/key-scope.ts). Null: everything.
  ADD COLUMN scope jsonb CHECK (jsonb_typeof(scope) = 'object'),
  -- Whether the key is revoked when its maker stops being a member.
  ADD COLUMN ends_with_creator boolean NOT NULL DEFAULT false;
