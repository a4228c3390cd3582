/** Chooses when a check of a key file, or a request, is tried again. */
import { jittered } from '../../platform/jittered.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The delays after the first failed check, the second and so on. Most customers put the file there minutes after they read the key. */
const CHECK_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS];
const MAX_RETRY_MS = 6 * HOUR_MS;

/** Returns the time until the next check. `failures`: the number of failed checks in a row, with the last one. `random`: from 0 to 1. */
export function checkDelayMs(failures: number, random: number): number {
  return jittered(CHECK_DELAYS_MS[failures - 1] ?? 24 * HOUR_MS, random);
}

/** Returns the time until the next request: 1, 2, 4 … minutes, up to 6 hours, or the time that the endpoint asks for. */
export function requestDelayMs(failures: number, random: number, askedMs: number | undefined): number {
  if (askedMs !== undefined) return Math.max(askedMs, MINUTE_MS);
  return jittered(Math.min(MINUTE_MS * 2 ** (failures - 1), MAX_RETRY_MS), random);
}
