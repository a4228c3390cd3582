/**
 * A delivery is an event on its way to one endpoint:
 *
 * ```
 * (event) ─→ waiting ─2xx─→ delivered
 *              │  └─ anything else: waiting for the next attempt, 10 in all ─→ failed
 *              └─ its endpoint is disabled, or its account is suspended: it waits
 * any ─retry, by its owner─→ waiting
 * ```
 * An event is deleted after 30 days in any state, or earlier if the events of its account take too many bytes.
 */
import type { EventData, EventType } from './events.ts';
import type { Format } from './formats.ts';

/** A delivery that this process has taken, with the lease of its endpoint. Times are by the clock of the database. */
export interface TakenDelivery {
  readonly endpointId: string;
  readonly accountId: string;
  readonly url: string;
  readonly format: Format | 'email';
  /** Whether the person has proved the mail address. False for webhooks. */
  readonly isProven: boolean;
  /** The versions of the secrets that sign, the newest first. */
  readonly secretVersions: readonly number[];
  readonly fence: number;
  readonly isSlow: boolean;
  readonly eventId: string;
  readonly type: keyof EventData;
  /** The data of the event, as JSON. */
  readonly data: string;
  readonly happenedAt: Date;
  /** The `traceparent` of the request that caused the event. Null if no request did. */
  readonly traceparent: string | null;
  /** The number of attempts before this one. */
  readonly attempts: number;
  readonly now: Date;
}

/** The result of an attempt. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** The status of the answer; null without an answer. */
  readonly status: number | null;
  /** The error, for people; null if the event was delivered. */
  readonly error: string | null;
  /** The time until the next attempt; undefined if there is none. */
  readonly retryMs: number | undefined;
  /** True if the attempt took so long that the endpoint counts as slow (`delivery-queue.ts`). */
  readonly isSlow: boolean;
  /** True if the receiver says that it is gone for good, or if the mail server knows no such address. */
  readonly isGone: boolean;
}

/** A delivery as the owner of its endpoint sees it. */
export interface DeliverySummary {
  readonly eventId: string;
  readonly type: EventType | 'webhook.test';
  readonly happenedAt: Date;
  readonly attempts: number;
  readonly attemptedAt: Date | null;
  readonly deliveredAt: Date | null;
  /** The time of the next attempt; null when the event was delivered, or is given up. */
  readonly nextAttemptAt: Date | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  /** The position in the order of creation. */
  readonly position: number;
}

/** The waiting deliveries, without those of disabled endpoints and of suspended accounts. */
export interface WaitingDeliveries {
  readonly count: number;
  /**
   * The longest time that an endpoint has waited for its turn: since its first delivery was due, or since its last attempt ended if that
   * was later. So a slow receiver with many waiting events is not overdue.
   */
  readonly overdueSeconds: number;
  readonly disabledEndpoints: number;
}
