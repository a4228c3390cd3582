/** Measures and cuts texts in Unicode code points. The `length` of a JavaScript string counts UTF-16 units. */

/** Whether the text has at most `max` code points. Does not read texts that are clearly too long. */
export function hasAtMostCodePoints(text: string, max: number): boolean {
  if (text.length <= max) return true;
  if (text.length > 2 * max) return false;
  return firstCodePoints(text, max).length === text.length;
}

export function firstCodePoints(text: string, count: number): string {
  // A code point has at most two units. If this cut splits a pair, the pair lies beyond `count`.
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');
}
