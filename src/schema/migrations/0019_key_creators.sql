-- Who made a key. Null: the operator, or a key that is older than the audit log.
ALTER TABLE api_keys ADD COLUMN creator_id text, ADD COLUMN creator_name text;

UPDATE api_keys k SET creator_id = e.user_id, creator_name = e.actor_name
  FROM audit_events e
 WHERE e.account_id = k.account_id AND e.action = 'key.created' AND e.user_id IS NOT NULL AND e.details ->> 'keyId' = k.id;
