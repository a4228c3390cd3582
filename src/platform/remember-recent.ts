/** Makes a pure function remember its results for recent texts, for hot paths that see the same texts repeatedly. */

import { textAlone } from './alone.ts';

export interface RememberLimits {
  /** The most texts whose results are remembered. */
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
    const text = textAlone(given);
    // The text has a lone surrogate.
    if (text !== given) return compute(given);
    const result = compute(text);
    // Forgetting all results costs less than tracking the oldest.
    if (results.size >= most) results.clear();
    results.set(text, result);
    return result;
  };
}
