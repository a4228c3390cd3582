/** Writes an event and its deliveries in the transaction of the change, so that every committed change is delivered. */
import { newId } from '../../platform/ids.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { currentTraceparent } from '../../platform/trace/trace-context.ts';
import type { EventData, EventType } from './events.ts';

/**
 * Writes an event in one statement, or nothing if no endpoint of the account wants it. An endpoint that is being deleted is
 * skipped: the change must not wait for the deletion, nor fail because of it.
 */
export async function emitEvent<Type extends EventType>(
  transaction: Queryable,
  accountId: string,
  type: Type,
  data: EventData[Type],
): Promise<void> {
  await transaction.query({
    name: 'emit-event',
    text: `WITH endpoints AS (
             SELECT id FROM webhook_endpoints
              WHERE account_id = $1 AND disabled_at IS NULL
                AND CASE WHEN event_types IS NULL THEN $3 <> 'upload.unchanged' ELSE $3 = ANY(event_types) END
                FOR KEY SHARE SKIP LOCKED
           ), event AS (
             INSERT INTO webhook_events (id, account_id, type, data, traceparent)
             SELECT $2, $1, $3, $4::json, $5 WHERE EXISTS (SELECT FROM endpoints)
             RETURNING id, created_at
           )
           INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at)
           SELECT event.id, endpoints.id, event.created_at FROM event, endpoints`,
    values: [accountId, newId('event'), type, JSON.stringify(data), currentTraceparent()],
  });
}

/** Emits a test event to one endpoint, whatever its types. Returns the event's id; undefined if the endpoint is gone or disabled. */
export async function emitTest(queryable: Queryable, webhookId: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ id: string }>(
    `WITH endpoint AS (
       SELECT id, account_id FROM webhook_endpoints WHERE id = $1 AND disabled_at IS NULL
          FOR KEY SHARE SKIP LOCKED
     ), event AS (
       INSERT INTO webhook_events (id, account_id, type, data, traceparent)
       SELECT $2, account_id, 'webhook.test', $3::json, $4 FROM endpoint
       RETURNING id, created_at
     )
     INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at)
     SELECT event.id, endpoint.id, event.created_at FROM event, endpoint RETURNING event_id AS id`,
    [
      webhookId,
      newId('event'),
      JSON.stringify({ webhookId } satisfies EventData['webhook.test']),
      currentTraceparent(),
    ],
  );
  return rows[0]?.id;
}
