/** Compares a part of a count with a limit in percent, in exact integers. */

/** Percentages may have up to six decimal places. More places are rounded. */
const UNITS_PER_PERCENT = 1_000_000;

/** Returns whether `part` is more than `percent` of `whole`. Exactly `percent` is not more. */
export function isOverPercent(part: number, whole: number, percent: number): boolean {
  const units = BigInt(Math.round(percent * UNITS_PER_PERCENT));
  return BigInt(part) * 100n * BigInt(UNITS_PER_PERCENT) > units * BigInt(whole);
}

/**
 * Returns a percentage with two decimal places, rounded up. So if `part` exceeds a limit in whole percent, the result exceeds the limit,
 * too.
 */
export function percentOf(part: number, whole: number): number {
  return Number((BigInt(part) * 10_000n + BigInt(whole) - 1n) / BigInt(whole)) / 100;
}
