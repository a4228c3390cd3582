/** Chooses when a failed delivery is tried again, and when it is given up. */
import { jittered } from '../../platform/jittered.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The delays after the first failure, the second failure and so on. Each comment has the time from the first failure to the end of the
 * delay.
 */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS, // elapsed: 5 min
  30 * MINUTE_MS, // 35 min
  2 * HOUR_MS, // 2.6 h
  5 * HOUR_MS, // 7.6 h
  10 * HOUR_MS, // 17.6 h
  14 * HOUR_MS, // 31.6 h
  20 * HOUR_MS, // 51.6 h
  24 * HOUR_MS, // 75.6 h
];
/** The longest delay that a receiver may ask for. */
const MAX_DELAY_MS = 24 * HOUR_MS;

/** The days after which a webhook is disabled if every delivery fails. */
export const FAILING_DAYS = 5;
/** The failed attempts for an event before an attempt for it may disable the webhook. They take 35 minutes. */
export const FAILED_BEFORE = 3;

/** Returns the time until the next attempt; undefined to give up. `attempts`: the number so far, with the attempt that has just failed. */
export function retryDelayMs(
  attempts: number,
  { retryAfterMs = 0, random }: { readonly retryAfterMs?: number | undefined; readonly random: number },
): number | undefined {
  const delayMs = DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return undefined;
  return Math.max(jittered(delayMs, random), Math.min(retryAfterMs, MAX_DELAY_MS));
}
