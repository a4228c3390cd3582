/**
 * URLs as bytes of JSON: found where they need no change (see ORDINARY_URL in url.ts). Hosts are judged by
 * url.ts, each once: the URLs of an upload have few.
 */
import { MAX_URL_LENGTH, MIN_LOC_LENGTH } from './limits.ts';
import { isOrdinaryOrigin } from './url.ts';

const NOT_PLAIN = -1;
const QUOTE = 0x22;
const SLASH = 0x2f;

const PLAIN = 1;
/** Plain in a URL, but not in XML. */
const ESCAPED = 2;
const PERCENT = 3;
const HASH = 4;

/** What each byte behind the host means. Non-ASCII, blanks, backslashes and the like stop. */
const KINDS = new Uint8Array(256);
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~!$()*+,;=:@/?') {
  KINDS[character.charCodeAt(0)] = PLAIN;
}
KINDS[0x26] = KINDS[0x27] = ESCAPED;
KINDS[0x25] = PERCENT;
KINDS[0x23] = HASH;

/** Longest scheme, host and port that is worth remembering. */
const MAX_ORIGIN_LENGTH = 255;
/** A site's pages, its images, its videos: more are compared in vain. */
const MAX_ORIGINS = 4;

export class PlainUrls {
  /** Newest first. */
  readonly #origins: Uint8Array[] = [];

  /** Whether the URL that was found last holds something that XML escapes. */
  needsEscape = false;

  /** The position of the quote that ends the URL which begins at `at`; -1 when it is not plain. */
  findEnd(json: Uint8Array, at: number): number {
    let i = this.#endOfOrigin(json, at);
    if (i === NOT_PLAIN) return NOT_PLAIN;
    let hasFragment = false;
    this.needsEscape = false;
    for (;;) {
      while (KINDS[json[i]!] === PLAIN) i++;
      const kind = KINDS[json[i]!];
      if (kind === ESCAPED) this.needsEscape = true;
      else if (kind === PERCENT) {
        if (!isHexDigit(json[i + 1]) || !isHexDigit(json[i + 2])) return NOT_PLAIN;
        i += 2;
      } else if (kind === HASH && !hasFragment) hasFragment = true;
      else break;
      i++;
    }
    const length = i - at;
    return json[i] === QUOTE && length >= MIN_LOC_LENGTH && length <= MAX_URL_LENGTH ? i : NOT_PLAIN;
  }

  /** The position of the slash behind the host. */
  #endOfOrigin(json: Uint8Array, at: number): number {
    for (let k = 0; k < this.#origins.length; k++) {
      const origin = this.#origins[k]!;
      let i = 0;
      while (i < origin.length && json[at + i] === origin[i]) i++;
      if (i === origin.length && json[at + i] === SLASH) return at + i;
    }
    return this.#learnOrigin(json, at);
  }

  #learnOrigin(json: Uint8Array, at: number): number {
    // Behind "https://" or "http://"; a slash within them would end the origin too soon to be ordinary.
    let end = at + 8;
    while (end - at < MAX_ORIGIN_LENGTH && json[end] !== SLASH && json[end] !== QUOTE) end++;
    if (json[end] !== SLASH) return NOT_PLAIN;
    // A copy: the slice of a Buffer would be a view of bytes that are gone before the next batch comes.
    const origin = Uint8Array.from(json.subarray(at, end));
    if (!isOrdinaryOrigin(String.fromCharCode(...origin))) return NOT_PLAIN;
    this.#origins.unshift(origin);
    if (this.#origins.length > MAX_ORIGINS) this.#origins.pop();
    return end;
  }
}

function isHexDigit(byte = 0): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
