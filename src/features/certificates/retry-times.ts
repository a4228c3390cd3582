/** Chooses the time when a failed issuance is tried again. Authorities allow few failed validations of a hostname. */
import { jittered } from '../../platform/jittered.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * The delays after the first three failures. The delay after each later failure is a day. Let's Encrypt recommends all of these delays.
 */
const DELAYS_MS = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS];
/** The delay while a part of Waypost or of the authority is down. */
const OUTAGE_DELAY_MS = 5 * MINUTE_MS;
/** The delay between two attempts while only the operator can help, for example by configuring an authority. */
export const OPERATOR_MS = 3_600_000;
const GIVE_UP_AFTER_MS = 7 * DAY_MS;

/** The number of failures in a row that makes a domain failed. The fourth failure comes about 2 hours after the first. */
export const FAILURES_UNTIL_FAILED = DELAYS_MS.length + 1;

/** Returns the time until the next attempt. `failures`: the failures in a row, the last one included. `random`: from 0 to 1. */
export function retryDelayMs(failures: number, random: number): number {
  return jittered(DELAYS_MS[failures - 1] ?? DAY_MS, random);
}

/** Returns the time until the next attempt after an outage. `random`: from 0 to 1. */
export function outageDelayMs(retryAfterMs: number, random: number): number {
  return Math.max(retryAfterMs, jittered(OUTAGE_DELAY_MS, random));
}

/** Returns whether failures have lasted so long that we give up. Then no attempt follows until the domain is verified again. */
export function isGivenUp(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= GIVE_UP_AFTER_MS;
}
