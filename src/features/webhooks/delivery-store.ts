/** The SQL that lists, retries, counts and deletes deliveries. */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { deleteInPortions } from '../../platform/postgres/delete-in-portions.ts';
import { isFree } from '../../platform/postgres/lease.ts';
import { allRows, firstRow, onlyRow } from '../../platform/postgres/rows.ts';
import type { DeliverySummary, WaitingDeliveries } from './delivery.ts';

const SUMMARY = `
  SELECT d.event_id AS "eventId", v.type, v.created_at AS "happenedAt", d.attempts, d.attempted_at AS "attemptedAt",
         d.delivered_at AS "deliveredAt", d.due_at AS "nextAttemptAt", d.last_status AS "lastStatus",
         d.last_error AS "lastError", d.position
    FROM webhook_deliveries d JOIN webhook_events v ON v.id = d.event_id`;

/** The days for which events are kept. */
const KEEP_DAYS = 30;
const DELETED_AT_ONCE = 2000;
/** The most bytes that an account's events and their deliveries take in the tables. */
const MAX_EVENT_BYTES = 200 * 2 ** 20;
/** The rough size of a delivery with its index entries. */
const DELIVERY_BYTES = 300;
/**
 * An account with at most this many events stays below MAX_EVENT_BYTES. 5,000 events of at most 20 kB, with 20 deliveries to webhooks each,
 * are 130 MB. The mails of all people, at most 30 a day each, are some 30 MB.
 */
const FEW_EVENTS = 5000;

/** Lists the newest deliveries first: the first `limit` with a position below `before`. */
export function listDeliveries(
  queryable: Queryable,
  endpointId: string,
  limit: number,
  before: number | undefined,
) {
  return allRows<DeliverySummary>(
    queryable,
    `${SUMMARY} WHERE d.endpoint_id = $1 AND ($3::bigint IS NULL OR d.position < $3)
      ORDER BY d.position DESC LIMIT $2`,
    [endpointId, limit, before ?? null],
  );
}

/** Makes a delivery due now, even if it was delivered or given up. Returns undefined when there is no such delivery. */
export async function retryDelivery(
  queryable: Queryable,
  endpointId: string,
  eventId: string,
): Promise<DeliverySummary | undefined> {
  const { rowCount } = await queryable.query(
    `UPDATE webhook_deliveries SET due_at = now(), delivered_at = NULL WHERE endpoint_id = $1 AND event_id = $2`,
    [endpointId, eventId],
  );
  if (rowCount !== 1) return undefined;
  return firstRow<DeliverySummary>(queryable, `${SUMMARY} WHERE d.endpoint_id = $1 AND d.event_id = $2`, [
    endpointId,
    eventId,
  ]);
}

/** Makes all deliveries that were given up due now. Returns their number. */
export async function retryFailedDeliveries(queryable: Queryable, endpointId: string): Promise<number> {
  const { rowCount } = await queryable.query(
    slowStatement(
      `UPDATE webhook_deliveries SET due_at = now()
        WHERE endpoint_id = $1 AND due_at IS NULL AND delivered_at IS NULL`,
      [endpointId],
    ),
  );
  return rowCount ?? 0;
}

export function countWaitingDeliveries(queryable: Queryable) {
  return onlyRow<WaitingDeliveries>(
    queryable,
    slowStatement(
      `SELECT coalesce(sum(w.count), 0)::bigint AS count,
              coalesce(greatest(0, max(extract(epoch FROM now() - greatest(w.due_at, e.attempted_at)))
                FILTER (WHERE ${isFree('e.leased_until')})), 0)::float8 AS "overdueSeconds",
              (SELECT count(*) FROM webhook_endpoints WHERE disabled_at IS NOT NULL) AS "disabledEndpoints"
         FROM (SELECT endpoint_id, count(*) AS count, min(due_at) AS due_at FROM webhook_deliveries
                WHERE due_at IS NOT NULL GROUP BY endpoint_id) AS w
         JOIN webhook_endpoints e ON e.id = w.endpoint_id JOIN accounts a ON a.id = e.account_id
        WHERE e.disabled_at IS NULL AND a.suspended_at IS NULL`,
      [],
    ),
  );
}

/**
 * Deletes events that are too old, and the oldest events of each account beyond `maxBytes`, with their deliveries. Events with waiting
 * deliveries are kept longest. A job calls this function every hour.
 */
export async function deleteOldEvents(
  queryable: Queryable,
  { maxBytes = MAX_EVENT_BYTES, fewEvents = FEW_EVENTS } = {},
): Promise<void> {
  await deleteInPortions(
    queryable,
    `DELETE FROM webhook_events
      WHERE id IN (SELECT id FROM webhook_events WHERE created_at < now() - $1 * interval '1 day'
                    ORDER BY created_at LIMIT $2)`,
    [KEEP_DAYS],
    DELETED_AT_ONCE,
  );
  await deleteInPortions(
    queryable,
    // pg_column_size does not read data that Postgres keeps out of line (TOAST).
    `DELETE FROM webhook_events WHERE id IN (
       SELECT id FROM (
         SELECT e.id, sum(pg_column_size(e.data) + $2 * d.count) OVER (
                        PARTITION BY e.account_id ORDER BY d.is_waiting DESC, e.created_at DESC, e.id) AS bytes
           -- An account without events since the last runs of the job cannot exceed its limit now.
           FROM (SELECT DISTINCT account_id FROM webhook_events WHERE created_at > now() - interval '3 hours') AS recent,
                LATERAL (SELECT * FROM webhook_events a WHERE a.account_id = recent.account_id
                            AND (SELECT count(*) FROM (SELECT FROM webhook_events f WHERE f.account_id = recent.account_id LIMIT $3 + 1) AS few) > $3
                         OFFSET 0) AS e,
                LATERAL (
                  SELECT count(*) AS count, coalesce(bool_or(due_at IS NOT NULL), false) AS is_waiting
                    FROM webhook_deliveries WHERE event_id = e.id) AS d) AS kept
        WHERE bytes > $1 LIMIT $4)`,
    [maxBytes, DELIVERY_BYTES, fewEvents],
    DELETED_AT_ONCE,
  );
}
