/** Percentages of counts, compared without rounding. */

/** Percentages have up to six decimal places. Further ones are rounded. */
const UNITS_PER_PERCENT = 1_000_000;

/** Whether `part` is more than `percent` of `whole`. Exactly as much is not. */
export function isOverPercent(part: number, whole: number, percent: number): boolean {
  const units = BigInt(Math.round(percent * UNITS_PER_PERCENT));
  return BigInt(part) * 100n * BigInt(UNITS_PER_PERCENT) > units * BigInt(whole);
}

/** With two decimal places, rounded up. So it is over a whole limit if `part` is. */
export function percentOf(part: number, whole: number): number {
  return Number((BigInt(part) * 10_000n + BigInt(whole) - 1n) / BigInt(whole)) / 100;
}
