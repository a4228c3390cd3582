/** Finds a text in many others, in a time that grows with their lengths only. */

/**
 * V8 searches for a short text in linear time. For a longer one it may compare each place of both: a millisecond for a URL, and a
 * hostile text finds 25,000 of them in a file.
 */
const MAX_BUILT_IN = 250;

/** Returns whether a text contains `wanted`. */
export function textFinder(wanted: string): (text: string) => boolean {
  if (wanted.length <= MAX_BUILT_IN) return (text) => text.includes(wanted);
  const borders = bordersOf(wanted);
  return (text) => {
    let matched = 0;
    for (let i = 0; i < text.length; i++) {
      matched = extended(wanted, borders, matched, text.charCodeAt(i));
      if (matched === wanted.length) return true;
    }
    return false;
  };
}

/** Knuth, Morris and Pratt: for each length of a beginning, the longest shorter beginning that it ends with. */
function bordersOf(wanted: string): Uint32Array {
  const borders = new Uint32Array(wanted.length + 1);
  for (let i = 1; i < wanted.length; i++) {
    borders[i + 1] = extended(wanted, borders, borders[i]!, wanted.charCodeAt(i));
  }
  return borders;
}

/** How long the beginning of `wanted` is that one more character ends. */
function extended(wanted: string, borders: Uint32Array, matched: number, code: number): number {
  let length = matched;
  while (length > 0 && wanted.charCodeAt(length) !== code) length = borders[length]!;
  return wanted.charCodeAt(length) === code ? length + 1 : 0;
}
