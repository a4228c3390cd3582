/** Computes means, medians and percentiles, and lets contenders take turns, so that comparisons are fair. */

/** The mean for ratios: a ratio of 2 and a ratio of ½ have the mean 1. */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The least value that `percent` of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const rank = Math.ceil((percent / 100) * values.length);
  return values.toSorted((a, b) => a - b)[Math.max(0, rank - 1)]!;
}

/**
 * Returns the values of each contender over `rounds`. Contenders take turns, A B A B, so that a disturbance of some seconds affects all of
 * them.
 */
export async function inTurns<Name extends string, Value>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<Value>>>,
): Promise<Record<Name, Value[]>> {
  const names = Object.keys(contenders) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Value[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) values[name].push(await contenders[name]());
  }
  return values;
}

/** Returns the median of each contender over `rounds`, in turns. */
export async function mediansInTurns<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number>> {
  const values = Object.entries<number[]>(await inTurns(rounds, contenders));
  return Object.fromEntries(values.map(([name, each]) => [name, median(each)])) as Record<Name, number>;
}
