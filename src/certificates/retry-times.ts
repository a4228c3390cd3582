/** When a failed issuance is tried again. Authorities allow few failed validations of a hostname. */
import { jittered } from '../platform/jittered.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** After the first failure, the second … Then daily. Let's Encrypt recommends 1, 10 and 100 minutes, then a day. */
const DELAYS_MS = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS];
/** Something of ours or of the authority is down. */
const OUTAGE_DELAY_MS = 5 * MINUTE_MS;
const GIVE_UP_AFTER_MS = 7 * DAY_MS;

/** How many failures in a row make a domain failed. The fourth comes about 2 hours after the first. */
export const FAILURES_UNTIL_FAILED = DELAYS_MS.length + 1;

/** `failures`: in a row, this one included. `random`: from 0 to 1. */
export function retryDelayMs(failures: number, random: number): number {
  return jittered(DELAYS_MS[failures - 1] ?? DAY_MS, random);
}

export function outageDelayMs(retryAfterMs: number, random: number): number {
  return Math.max(retryAfterMs, jittered(OUTAGE_DELAY_MS, random));
}

/** Whether a domain without a valid certificate has failed for so long that only its owner can start again. */
export function isGivenUp(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= GIVE_UP_AFTER_MS;
}
