/**
 * Writes JSON that every parser reads. A text may have half of a surrogate pair, for example if its producer cut an emoji in two.
 * `JSON.stringify` escapes the half (`\ud83d`), and parsers of other languages refuse the whole document for this escape.
 */

/** An escape in a string of JSON. The group matches half of a surrogate pair: `JSON.stringify` escapes no whole pair. */
const ESCAPE = /\\(?:(ud[89a-f][0-9a-f]{2})|.)/g;

/** Returns the JSON of a value, with U+FFFD in place of halves of surrogate pairs. */
export function writeJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json;
  return json.replace(ESCAPE, (found, half?: string) => (half === undefined ? found : '\uFFFD'));
}
