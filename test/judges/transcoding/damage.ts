/** Texts of entries with a fault: a character changed, removed, inserted or moved, or the end cut off. */
import type { Random } from './random.ts';

/** Characters that mean something in JSON, and some that a scanner may confuse with them. */
const TELLING_CHARACTERS: readonly string[] = [
  ...'"\\{}[],:0-+.eEu/ntf \n\t\0\x1f\x7f',
  'é',
  '\u2028',
  '\ufeff',
  '😀',
  '""',
  '\\u',
  'null',
];

/** One character wrong, at a place that `random` chooses. Never blank, because no batch has a blank element. */
export function damaged(text: string, random: Random): string {
  const at = random.below(text.length);
  const other = random.pick(TELLING_CHARACTERS);
  const [before, after] = [text.slice(0, at), text.slice(at + 1)];
  const result = random.pick([
    () => before + after,
    () => before + other + after,
    () => before + other + text[at] + after,
    () => before + text[at] + text[at] + after,
    () => before + after.slice(0, 1) + text[at] + after.slice(1),
    () => before,
    () => text.slice(at),
  ])();
  // A cut may have split a surrogate pair, which UTF-8 cannot carry.
  return orBrace(result.toWellFormed());
}

/** Every text with one character removed, replaced by each telling one, or followed by it, and every beginning. */
export function* everyDamage(text: string): Generator<string> {
  for (let at = 0; at < text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at + 1)];
    const damages = [before + after, before];
    for (const other of TELLING_CHARACTERS) {
      damages.push(before + other + after, before + text[at] + other + after);
    }
    for (const damage of damages) yield orBrace(damage.toWellFormed());
  }
}

const orBrace = (text: string) => (/^[ \t\r\n]*$/.test(text) ? '{' : text);
