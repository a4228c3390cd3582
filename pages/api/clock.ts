/**
 * The time by the clock of Waypost. The clock of a browser may be days off: a held upload would seem discarded, and a key for 30 days would
 * end sooner.
 */

/** Smaller differences are delays of the network. */
const TOLERATED_MS = 60_000;

let aheadMs = 0;

/** Call this with the header field `Date` of each answer. */
export function noteTime(date: string | null): void {
  const ms = Date.parse(date ?? '') - Date.now();
  aheadMs = Math.abs(ms) > TOLERATED_MS ? ms : 0;
}

/** Returns the time in milliseconds since 1970. */
export const timeNow = () => Date.now() + aheadMs;
