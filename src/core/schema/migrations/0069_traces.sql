-- Up Migration

-- The `traceparent` of the request that caused the event (docs/decisions/0081). Null if no request did.
ALTER TABLE webhook_events ADD COLUMN traceparent text;
-- The same for the request that asked for the load.
ALTER TABLE loads ADD COLUMN traceparent text;
