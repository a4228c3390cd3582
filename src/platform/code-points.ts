/** Lengths in Unicode code points, the unit of every length limit; a JavaScript string counts UTF-16 units. */

/** Whether the text has at most `max` code points. Long texts are judged without being read. */
export function hasAtMostCodePoints(text: string, max: number): boolean {
  if (text.length <= max) return true;
  if (text.length > 2 * max) return false;
  return firstCodePoints(text, max).length === text.length;
}

/** The first `count` code points of the text, or all of it. */
export function firstCodePoints(text: string, count: number): string {
  // A code point takes at most two units, so a pair that this cut splits lies beyond the count.
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');
}
