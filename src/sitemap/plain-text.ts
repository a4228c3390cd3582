/**
 * Texts as bytes of JSON: found where they need no more than escaping, and copied into XML. What comes here is
 * UTF-8 already, so that no surrogate can stand alone.
 */
import { MAX_TEXT_LENGTH } from './limits.ts';

const NOT_PLAIN = -1;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;

const STOP = 1;
const ESCAPE = 2;
/** First byte of U+F000 to U+FFFF, of which XML forbids the last two. */
const MAYBE_FORBIDDEN = 3;

/** What each byte of a JSON string means for finding its end; 0: nothing. */
const KINDS = new Uint8Array(256).fill(STOP, 0, 0x20);
KINDS[QUOTE] = STOP;
KINDS[BACKSLASH] = ESCAPE;
KINDS[0xef] = MAYBE_FORBIDDEN;

/** What each byte becomes in XML, where it is not itself. */
const REFERENCES: (Uint8Array | undefined)[] = new Array(256).fill(undefined);
for (const [character, reference] of Object.entries({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
})) {
  REFERENCES[character.charCodeAt(0)] = new Uint8Array(Buffer.from(reference));
}
const IS_SPECIAL = Uint8Array.from(REFERENCES, (reference) => (reference === undefined ? 0 : 1));
IS_SPECIAL[BACKSLASH] = 1;

/** The position of the quote that ends the text which begins at `at`; -1 when it is not plain. */
export function findTextEnd(json: Uint8Array, at: number): number {
  let i = at;
  for (;;) {
    while (KINDS[json[i]!] === 0) i++;
    const kind = KINDS[json[i]!];
    if (kind === ESCAPE) {
      const escaped = json[i + 1];
      if (escaped !== QUOTE && escaped !== BACKSLASH && escaped !== SLASH) return NOT_PLAIN;
      i += 2;
    } else if (kind === MAYBE_FORBIDDEN) {
      if (json[i + 1] === 0xbf && json[i + 2]! >= 0xbe) return NOT_PLAIN;
      i++;
    } else break;
  }
  // No text has more characters than bytes.
  return json[i] === QUOTE && i - at <= MAX_TEXT_LENGTH ? i : NOT_PLAIN;
}

/** Copies a text or URL that was found plain, escaped for XML; returns the position behind it in `xml`. */
export function copyEscaped(json: Uint8Array, from: number, to: number, xml: Uint8Array, at: number): number {
  let o = at;
  let i = from;
  while (i < to) {
    const byte = json[i++]!;
    if (IS_SPECIAL[byte] === 0) {
      xml[o++] = byte;
      continue;
    }
    const meant = byte === BACKSLASH ? json[i++]! : byte;
    const reference = REFERENCES[meant];
    if (reference === undefined) xml[o++] = meant;
    else for (let k = 0; k < reference.length; k++) xml[o++] = reference[k]!;
  }
  return o;
}
