/** A pure function that remembers its results for the texts of late: for hot paths, where the same texts come again and again. */

export interface RememberLimits {
  /** Texts. */
  readonly most: number;
  /** Longer texts are not remembered, so that hostile ones take no memory. */
  readonly maxLength: number;
}

export function rememberRecent<Result>(
  compute: (text: string) => Result,
  { most, maxLength }: RememberLimits,
): (text: string) => Result {
  const results = new Map<string, Result>();
  return (given) => {
    const known = results.get(given);
    if (known !== undefined) return known;
    if (given.length > maxLength) return compute(given);
    // A copy: a text that was cut from a longer one keeps all of it in memory. Lone surrogates have none.
    const text = Buffer.from(given).toString();
    if (text !== given) return compute(given);
    const result = compute(text);
    // To forget all costs less than to know the oldest.
    if (results.size >= most) results.clear();
    results.set(text, result);
    return result;
  };
}
