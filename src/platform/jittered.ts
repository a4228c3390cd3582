/** Spreads retries: many attempts that failed at the same time must not repeat at the same time. */
const JITTER = 0.1;

/** The delay, up to a tenth shorter or longer. `random`: from 0 to 1. */
export function jittered(delayMs: number, random: number): number {
  return Math.round(delayMs * (1 + JITTER * (2 * random - 1)));
}
