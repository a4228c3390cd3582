/**
 * The SQL that takes deliveries, and records their results. The lease belongs to the endpoint, so one process at a time delivers to it, one
 * event at a time.
 *
 * The order is fair. The endpoints of an account take turns: the endpoint whose last attempt is oldest comes first. Each account has one
 * turn before any account has a second one, so 100,000 waiting events delay another account by a single turn only.
 *
 * This order holds for up to SEEN_AT_ONCE endpoints with waiting events. If there are more, a look sees SEEN_AT_ONCE of them, from a random
 * one on, and orders only these. So each endpoint still has its turns, but later in proportion.
 */
import { newId } from '../../platform/ids.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { isFree, leasedFor } from '../../platform/postgres/lease.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import type { Attempt, TakenDelivery } from './delivery.ts';
import { FAILED_BEFORE, FAILING_DAYS } from './retry-schedule.ts';

/** The lease of an endpoint. It needs no renewals, because an attempt takes 20 s at most, and a mail 45 s. */
const LEASE_MS = 60_000;
/**
 * The most endpoints with waiting events that a look sees, some 50 µs each. Without this limit, 70,000 endpoints exceed the timeout of a
 * statement.
 */
export const SEEN_AT_ONCE = 2000;

/**
 * Takes up to `limit` deliveries that are due. `isSlow`: takes only those of slow endpoints, or only those of the others; undefined: takes
 * both. `isMail`: takes only mails; otherwise takes no mails.
 */
export function takeDeliveries(
  queryable: Queryable,
  limit: number,
  { isSlow, isMail = false }: { readonly isSlow?: boolean; readonly isMail?: boolean },
) {
  return allRows<TakenDelivery>(queryable, {
    name: 'take-deliveries',
    // The fence must be that of the snapshot: if another process has delivered meanwhile, this statement still sees the delivery as due.
    // The query finds the first delivery of each endpoint by jumps from one endpoint to the next in the index. `due` is materialized: a
    // plan that runs it twice takes more than the limit.
    text: `WITH RECURSIVE waiting AS (
             SELECT $5 AS endpoint_id, NULL::timestamptz AS due_at, false AS from_first, 0 AS seen
             UNION ALL
             SELECT next.*, waiting.seen + 1 FROM waiting, LATERAL (
               (SELECT endpoint_id, due_at, waiting.from_first FROM webhook_deliveries
                 WHERE due_at IS NOT NULL AND endpoint_id > waiting.endpoint_id
                 ORDER BY endpoint_id, due_at LIMIT 1)
               UNION ALL
               -- After the last endpoint comes the first one.
               (SELECT endpoint_id, due_at, true FROM webhook_deliveries
                 WHERE due_at IS NOT NULL AND NOT waiting.from_first
                 ORDER BY endpoint_id, due_at LIMIT 1)
               LIMIT 1) AS next
              WHERE waiting.seen < ${SEEN_AT_ONCE} AND NOT (next.from_first AND next.endpoint_id > $5)
           ), ranked AS (
             SELECT e.id, e.fence, e.attempted_at, e.is_slow, ${isFree('e.leased_until')} AS is_free,
                    row_number() OVER (PARTITION BY e.account_id
                                       ORDER BY e.leased_until > now() DESC NULLS LAST, e.attempted_at NULLS FIRST) AS turn
               FROM waiting w JOIN webhook_endpoints e ON e.id = w.endpoint_id JOIN accounts a ON a.id = e.account_id
              WHERE w.due_at <= now() AND e.disabled_at IS NULL AND a.suspended_at IS NULL AND (e.format = 'email') = $4
           ), due AS MATERIALIZED (
             SELECT e.id FROM ranked r JOIN webhook_endpoints e ON e.id = r.id
              WHERE r.is_free AND r.is_slow = coalesce($2, r.is_slow) AND ${isFree('e.leased_until')} AND e.fence = r.fence
              ORDER BY r.turn, r.attempted_at NULLS FIRST LIMIT $1 FOR NO KEY UPDATE OF e SKIP LOCKED
           ), taken AS (
             UPDATE webhook_endpoints e SET fence = fence + 1, leased_until = ${leasedFor('$3')}
               FROM due WHERE e.id = due.id RETURNING e.*
           )
           SELECT t.id AS "endpointId", t.account_id AS "accountId", t.url, t.format, t.proven_at IS NOT NULL AS "isProven", t.fence, t.is_slow AS "isSlow",
                  ARRAY(SELECT generate_series(t.secret_version,
                          CASE WHEN t.former_until > now() THEN t.former_version ELSE t.secret_version END, -1)) AS "secretVersions",
                  d.event_id AS "eventId", v.type, v.data::text AS data, v.created_at AS "happenedAt", v.traceparent, d.attempts, now() AS now
             FROM taken t CROSS JOIN LATERAL (
               SELECT event_id, attempts FROM webhook_deliveries
                WHERE endpoint_id = t.id AND due_at <= now() ORDER BY due_at LIMIT 1) AS d
             JOIN webhook_events v ON v.id = d.event_id`,
    values: [limit, isSlow ?? null, LEASE_MS, isMail, newId('webhook')],
  });
}

/**
 * Records an attempt and ends the lease. Returns whether the attempt disabled the endpoint. Returns undefined when the lease is lost, and
 * then records nothing, because another process delivers. Also returns undefined when the delivery or its endpoint is deleted.
 */
export async function recordAttempt(
  queryable: Queryable,
  {
    endpointId,
    eventId,
    fence,
    attempts,
    now,
  }: Pick<TakenDelivery, 'endpointId' | 'eventId' | 'fence' | 'attempts' | 'now'>,
  { isDelivered, status, error, retryMs, isSlow, isGone }: Attempt,
): Promise<boolean | undefined> {
  const { rows } = await queryable.query<{ isDisabled: boolean }>({
    name: 'record-attempt',
    text: `WITH endpoint AS (
             UPDATE webhook_endpoints
                SET leased_until = NULL, attempted_at = now(), is_slow = $8,
                    failing_since = CASE WHEN $4 THEN NULL ELSE coalesce(failing_since, now()) END,
                    disabled_at = CASE WHEN ${SHALL_BE_DISABLED} THEN coalesce(disabled_at, now()) ELSE disabled_at END,
                    disabled_why = CASE WHEN NOT ${SHALL_BE_DISABLED} THEN disabled_why
                                        WHEN $9 AND format = 'email' THEN $6
                                        WHEN $9 THEN 'The receiver answered 410 Gone.'
                                        ELSE 'Every delivery failed for ${FAILING_DAYS} days.' END
              WHERE id = $1 AND fence = $3
              RETURNING id, disabled_at = now() AS is_disabled
           )
           UPDATE webhook_deliveries d
              SET attempts = attempts + 1, attempted_at = now(), last_status = $5, last_error = $6,
                  delivered_at = CASE WHEN $4 THEN now() ELSE delivered_at END,
                  -- The owner has asked for another attempt during this one. $10 is the time when it began, in whole milliseconds.
                  due_at = CASE WHEN NOT $4 AND d.due_at > $10::timestamptz + interval '1 millisecond' THEN d.due_at
                                ELSE now() + $7 * interval '1 millisecond' END
             FROM endpoint WHERE d.endpoint_id = endpoint.id AND d.event_id = $2
           RETURNING coalesce(endpoint.is_disabled, false) AS "isDisabled"`,
    values: [
      ...[endpointId, eventId, fence, isDelivered, status, error],
      ...[retryMs ?? null, isSlow, isGone, now, attempts],
    ],
  });
  return rows[0]?.isDisabled;
}

/**
 * The SQL condition that an attempt disables its endpoint. Failed mails do so only if the address is gone, because the mail server may be
 * down. `$11`: the number of attempts for the event before this one. If events are rare, days may lie between the last failure for an old
 * event and the first failure for the next one. Such a span says little.
 */
const SHALL_BE_DISABLED = `(NOT $4 AND ($9 OR format <> 'email' AND $11::int >= ${FAILED_BEFORE}
  AND coalesce(failing_since < now() - interval '${FAILING_DAYS} days', false)))`;

/** Ends the lease of an attempt that did not happen or has no known result, so that another process may begin at once. */
export async function endLease(
  queryable: Queryable,
  { endpointId, fence }: Pick<TakenDelivery, 'endpointId' | 'fence'>,
): Promise<void> {
  await queryable.query('UPDATE webhook_endpoints SET leased_until = NULL WHERE id = $1 AND fence = $2', [
    endpointId,
    fence,
  ]);
}
