/** What several measurements come to: medians and percentiles, and taking turns so that comparisons are fair. */

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The least value that `percent` of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const rank = Math.ceil((percent / 100) * values.length);
  return values.toSorted((a, b) => a - b)[Math.max(0, rank - 1)]!;
}

/**
 * The median of each contender over `rounds`. They take turns, A B A B, so that whatever disturbs the machine
 * for some seconds disturbs all of them.
 */
export async function mediansInTurns<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(contenders) as Name[];
  const values = names.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, name] of names.entries()) values[i]!.push(await contenders[name]());
  }
  return Object.fromEntries(names.map((name, i) => [name, median(values[i]!)])) as Record<Name, number>;
}
