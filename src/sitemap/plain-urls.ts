/**
 * URLs as bytes of JSON: found where they need no change (see ORDINARY_URL in url.ts) and copied into XML. The
 * host is judged by url.ts, once: the next URLs mostly have the same.
 */
import { MAX_URL_LENGTH, MIN_LOC_LENGTH } from './limits.ts';
import { isOrdinaryOrigin } from './url.ts';

const NOT_PLAIN = -1;
const QUOTE = 0x22;
const SLASH = 0x2f;
const AMPERSAND = 0x26;
const APOSTROPHE = 0x27;

const PLAIN = 1;
const ESCAPED = 2;
const PERCENT = 3;
const HASH = 4;

/** What each byte behind the host means. Non-ASCII, blanks, backslashes and the like stop. */
const KINDS = new Uint8Array(256);
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~!$()*+,;=:@/?') {
  KINDS[character.charCodeAt(0)] = PLAIN;
}
KINDS[AMPERSAND] = KINDS[APOSTROPHE] = ESCAPED;
KINDS[0x25] = PERCENT;
KINDS[0x23] = HASH;

const AMP = new Uint8Array(Buffer.from('&amp;'));
const APOS = new Uint8Array(Buffer.from('&apos;'));

/** Longest scheme, host and port that is worth remembering. */
const MAX_ORIGIN_LENGTH = 255;

export class PlainUrls {
  readonly #origin = new Uint8Array(MAX_ORIGIN_LENGTH);
  #originLength = 0;
  #needsEscape = false;

  /** The position of the quote that ends the URL which begins at `at`; -1 when it is not plain. */
  find(json: Uint8Array, at: number): number {
    let i = this.#endOfOrigin(json, at);
    if (i === NOT_PLAIN) return NOT_PLAIN;
    let needsEscape = false;
    let hasFragment = false;
    for (;;) {
      while (KINDS[json[i]!] === PLAIN) i++;
      const kind = KINDS[json[i]!];
      if (kind === ESCAPED) needsEscape = true;
      else if (kind === PERCENT) {
        if (!isHexDigit(json[i + 1]) || !isHexDigit(json[i + 2])) return NOT_PLAIN;
        i += 2;
      } else if (kind === HASH && !hasFragment) hasFragment = true;
      else break;
      i++;
    }
    const length = i - at;
    if (json[i] !== QUOTE || length < MIN_LOC_LENGTH || length > MAX_URL_LENGTH) return NOT_PLAIN;
    this.#needsEscape = needsEscape;
    return i;
  }

  /** Copies the URL that was found last; returns the position behind it in `xml`. */
  copy(json: Uint8Array, from: number, to: number, xml: Uint8Array, at: number): number {
    let o = at;
    if (!this.#needsEscape) {
      for (let i = from; i < to; i++) xml[o++] = json[i]!;
      return o;
    }
    for (let i = from; i < to; i++) {
      const byte = json[i]!;
      if (byte !== AMPERSAND && byte !== APOSTROPHE) xml[o++] = byte;
      else {
        const reference = byte === AMPERSAND ? AMP : APOS;
        for (let k = 0; k < reference.length; k++) xml[o++] = reference[k]!;
      }
    }
    return o;
  }

  /** The position of the slash behind the host. */
  #endOfOrigin(json: Uint8Array, at: number): number {
    const origin = this.#origin;
    const length = this.#originLength;
    let i = 0;
    while (i < length && json[at + i] === origin[i]) i++;
    if (i === length && length > 0 && json[at + i] === SLASH) return at + i;
    return this.#learnOrigin(json, at);
  }

  #learnOrigin(json: Uint8Array, at: number): number {
    // Behind "https://" or "http://"; a slash within them would end the origin too soon to be ordinary.
    let end = at + 8;
    while (end - at < MAX_ORIGIN_LENGTH && json[end] !== SLASH && json[end] !== QUOTE) end++;
    if (json[end] !== SLASH) return NOT_PLAIN;
    const bytes = json.subarray(at, end);
    if (!isOrdinaryOrigin(String.fromCharCode(...bytes))) return NOT_PLAIN;
    this.#origin.set(bytes);
    this.#originLength = bytes.length;
    return end;
  }
}

function isHexDigit(byte = 0): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
