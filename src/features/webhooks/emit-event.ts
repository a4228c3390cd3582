/** Writes an event and its deliveries in the transaction of the change, so that every committed change is delivered. */
import { newId } from '../../platform/ids.ts';
import { writeJson } from '../../platform/json/write-json.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { shownValue } from '../../platform/shown-value.ts';
import { currentTraceparent } from '../../platform/trace/trace-context.ts';
import { CHOSEN_EVENTS, type EventData, type EventType } from './events.ts';
import type { Topic } from './mail/topics.ts';

/** The most bytes of the data of an event. A body has 20 kB at most, with the members around the data. */
const MAX_DATA_BYTES = 19_500;
/** A person who has got this many mails about an account in 24 hours gets no more, except digests and proofs of addresses. */
const MAILS_PER_DAY = 30;
const MAILS_OF_DAY = `
  SELECT count(*) FROM (
    SELECT FROM webhook_deliveries d JOIN webhook_events v ON v.id = d.event_id
     WHERE d.endpoint_id = e.id AND v.created_at > now() - interval '1 day' LIMIT ${MAILS_PER_DAY}) AS mails`;

/**
 * Writes an event in one statement, or nothing if no endpoint of the account wants it. An endpoint that is being deleted is skipped, so the
 * change neither waits for the deletion nor fails because of it. `topic`: only people who chose this topic get the event as a mail. Null:
 * the event is not mailed. A person who has got too many mails in a day gets no more.
 */
export async function emitEvent<Type extends EventType>(
  transaction: Queryable,
  accountId: string,
  type: Type,
  data: EventData[Type],
  topic: Topic | null = null,
): Promise<void> {
  await transaction.query({
    name: 'emit-event',
    text: `WITH endpoints AS (
             SELECT id FROM webhook_endpoints e
              WHERE account_id = $1 AND disabled_at IS NULL
                AND CASE WHEN format = 'email'
                         THEN $6 = ANY(event_types) AND proven_at IS NOT NULL AND (${MAILS_OF_DAY}) < ${MAILS_PER_DAY}
                         WHEN event_types IS NULL THEN $3 <> ALL ('{${CHOSEN_EVENTS.join()}}')
                         ELSE $3 = ANY(event_types) END
                FOR KEY SHARE SKIP LOCKED
           ), event AS (
             INSERT INTO webhook_events (id, account_id, type, data, traceparent)
             SELECT $2, $1, $3, $4::json, $5 WHERE EXISTS (SELECT FROM endpoints)
             RETURNING id, created_at
           )
           INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at)
           SELECT event.id, endpoints.id, event.created_at FROM event, endpoints`,
    values: [accountId, newId('event'), type, shortJson(data), currentTraceparent(), topic],
  });
}

/** Returns the JSON of the data. If it is longer than an event may be, cuts each long text, such as a message that quotes a header of CSV. */
function shortJson(data: unknown): string {
  const json = writeJson(data);
  if (Buffer.byteLength(json) <= MAX_DATA_BYTES) return json;
  return writeJson(
    JSON.parse(json, (_, value: unknown) => (typeof value === 'string' ? shownValue(value) : value)),
  );
}

/**
 * Emits an event to one endpoint, even if the endpoint does not choose events of this type. Returns the event's id; undefined if the
 * endpoint is gone or disabled.
 */
export async function emitToOne<Type extends keyof EventData>(
  queryable: Queryable,
  endpointId: string,
  type: Type,
  data: EventData[Type],
): Promise<string | undefined> {
  const { rows } = await queryable.query<{ id: string }>(
    `WITH endpoint AS (
       SELECT id, account_id FROM webhook_endpoints WHERE id = $1 AND disabled_at IS NULL
          FOR KEY SHARE SKIP LOCKED
     ), event AS (
       INSERT INTO webhook_events (id, account_id, type, data, traceparent)
       SELECT $2, account_id, $3, $4::json, $5 FROM endpoint
       RETURNING id, created_at
     )
     INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at)
     SELECT event.id, endpoint.id, event.created_at FROM event, endpoint RETURNING event_id AS id`,
    [endpointId, newId('event'), type, writeJson(data), currentTraceparent()],
  );
  return rows[0]?.id;
}
