/**
 * A delivery is an event on its way to one endpoint:
 *
 * ```
 * (event) ─→ waiting ─2xx─→ delivered
 *              │  └─ anything else: waiting for the next attempt, 10 in all ─→ failed
 *              └─ its endpoint is disabled, or its account is suspended: it waits
 * any ─retry, by its owner─→ waiting
 * ```
 * After 30 days the event goes, whatever became of it.
 */

/** One delivery, and the lease of its endpoint. Times are by the clock of the database. */
export interface TakenDelivery {
  readonly endpointId: string;
  readonly accountId: string;
  readonly url: string;
  /** Of the secrets that sign, the newest first. */
  readonly secretVersions: readonly number[];
  readonly fence: number;
  readonly isSlow: boolean;
  readonly eventId: string;
  readonly type: string;
  /** JSON. */
  readonly data: string;
  readonly happenedAt: Date;
  /** Before this attempt. */
  readonly attempts: number;
  readonly now: Date;
}

/** How an attempt ended. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** Null without an answer. */
  readonly status: number | null;
  /** For people; null if it was delivered. */
  readonly error: string | null;
  /** Until the next one; undefined if there is none. */
  readonly retryMs: number | undefined;
  /** It took so long that it must not take the place of others. */
  readonly isSlow: boolean;
  /** The receiver says that it is gone for good. */
  readonly isGone: boolean;
}

/** What its owner sees. */
export interface DeliverySummary {
  readonly eventId: string;
  readonly type: string;
  readonly happenedAt: Date;
  readonly attempts: number;
  readonly attemptedAt: Date | null;
  readonly deliveredAt: Date | null;
  /** Null when it was delivered, or is given up. */
  readonly nextAttemptAt: Date | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  /** Position in order of creation. */
  readonly position: number;
}

/** Of all accounts that are in use. */
export interface WaitingDeliveries {
  readonly count: number;
  /**
   * How long the endpoint that waits longest has waited for its turn: since its first delivery was due, or since its last
   * attempt ended. So a receiver that is slow, with many events behind it, is not overdue.
   */
  readonly overdueSeconds: number;
  readonly disabledEndpoints: number;
}
