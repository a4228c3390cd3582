/** Writes an event and its deliveries, in the transaction of the change: what is committed is delivered. */
import { newId } from '../platform/ids.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import type { EventData, EventType } from './events.ts';

/** One statement. Without an endpoint of the account that wants it, nothing is written. */
export async function emitEvent<Type extends EventType>(
  transaction: Queryable,
  accountId: string,
  type: Type,
  data: EventData[Type],
): Promise<void> {
  await transaction.query(
    `WITH endpoints AS (
       SELECT id FROM webhook_endpoints
        WHERE account_id = $1 AND disabled_at IS NULL AND $3 = ANY(event_types)
     ), event AS (
       INSERT INTO webhook_events (id, account_id, type, data)
       SELECT $2, $1, $3, $4 WHERE EXISTS (SELECT FROM endpoints)
       RETURNING id
     )
     INSERT INTO webhook_deliveries (event_id, endpoint_id, account_id, due_at)
     SELECT event.id, endpoints.id, $1, now() FROM event, endpoints`,
    [accountId, newId('event'), type, JSON.stringify(data)],
  );
}
