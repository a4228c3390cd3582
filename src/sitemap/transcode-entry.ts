/**
 * The common entry straight from its JSON bytes to its XML bytes: no string, no object, several times the speed
 * of parsing, validating and rendering it. An optimisation and nothing else: it recognises only what
 * `parseEntry` accepts and `renderEntry` writes in just these bytes, and leaves every other entry to them.
 *
 * ```
 * {"loc":"https://a.example/b","lastmod":"2026-01-15","changefreq":"weekly","priority":0.8}
 *         └───── copied, & and ' escaped      └ checked, copied    └ one of seven     └ 0, 1 or 0.…
 * <url><loc>https://a.example/b</loc><lastmod>2026-01-15</lastmod>…</url>
 * ```
 * Recognised: an object of these members, in any order, each at most once, `loc` among them, with or without
 * white space between tokens; strings of ASCII without escapes. Everything else is not plain.
 */

import { PlainUrls } from './plain-urls.ts';
import { findPriority, isPlainChangefreq, isPlainDate } from './plain-values.ts';

const NOT_PLAIN = -1;

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));
const URL_OPEN = bytesOf('<url><loc>');
const LOC_CLOSE = bytesOf('</loc>');
const LASTMOD_OPEN = bytesOf('<lastmod>');
const LASTMOD_CLOSE = bytesOf('</lastmod>');
const CHANGEFREQ_OPEN = bytesOf('<changefreq>');
const CHANGEFREQ_CLOSE = bytesOf('</changefreq>');
const PRIORITY_OPEN = bytesOf('<priority>');
const PRIORITY_CLOSE = bytesOf('</priority>');
const URL_CLOSE = bytesOf('</url>\n');

/** How much longer than its JSON an entry's XML can be: `&` becomes five bytes, and the tags are constant. */
export const maxTranscodedBytes = (jsonBytes: number) => 6 * jsonBytes + 200;

export class EntryTranscoder {
  readonly #urls = new PlainUrls();
  // Where the values of the entry at hand stand in the JSON; a start of 0 means that there is none.
  #locStart = 0;
  #locEnd = 0;
  #lastmodStart = 0;
  #lastmodEnd = 0;
  #changefreqStart = 0;
  #changefreqEnd = 0;
  #priorityStart = 0;
  #priorityEnd = 0;

  /**
   * Writes the entry that is `json` from `from` to `to` into `xml` at `at`, which must have room for
   * `maxTranscodedBytes`. Returns the position behind it, or -1 when the entry is not plain.
   */
  transcode(json: Uint8Array, from: number, to: number, xml: Uint8Array, at: number): number {
    return this.#read(json, from, to) ? this.#write(json, xml, at) : NOT_PLAIN;
  }

  #read(json: Uint8Array, from: number, to: number): boolean {
    this.#locStart = this.#lastmodStart = this.#changefreqStart = this.#priorityStart = 0;
    let i = skipSpace(json, from);
    if (json[i] !== OPEN) return false;
    do {
      i = this.#readMember(json, skipSpace(json, i + 1));
      if (i === NOT_PLAIN) return false;
      i = skipSpace(json, i);
    } while (json[i] === COMMA);
    return json[i] === CLOSE && skipSpace(json, i + 1) >= to && this.#locStart > 0;
  }

  /** Returns the position behind the member. Keys are told apart by a letter and then compared. */
  #readMember(json: Uint8Array, at: number): number {
    if (json[at] !== QUOTE) return NOT_PLAIN;
    let i = at + 1;
    switch (json[i]) {
      case 0x6c: // loc, lastmod
        if (json[i + 1] === 0x6f) {
          i = valueAfterKey(json, i, LOC);
          if (i === NOT_PLAIN || json[i] !== QUOTE || this.#locStart > 0) return NOT_PLAIN;
          this.#locStart = i + 1;
          this.#locEnd = this.#urls.find(json, i + 1);
          return this.#locEnd === NOT_PLAIN ? NOT_PLAIN : this.#locEnd + 1;
        }
        i = valueAfterKey(json, i, LASTMOD);
        if (i === NOT_PLAIN || json[i] !== QUOTE || this.#lastmodStart > 0) return NOT_PLAIN;
        this.#lastmodStart = i + 1;
        this.#lastmodEnd = findQuote(json, i + 1, 20);
        if (!isPlainDate(json, this.#lastmodStart, this.#lastmodEnd)) return NOT_PLAIN;
        return this.#lastmodEnd + 1;
      case 0x63: // changefreq
        i = valueAfterKey(json, i, CHANGEFREQ);
        if (i === NOT_PLAIN || json[i] !== QUOTE || this.#changefreqStart > 0) return NOT_PLAIN;
        this.#changefreqStart = i + 1;
        this.#changefreqEnd = findQuote(json, i + 1, 7);
        if (!isPlainChangefreq(json, this.#changefreqStart, this.#changefreqEnd)) return NOT_PLAIN;
        return this.#changefreqEnd + 1;
      case 0x70: // priority
        i = valueAfterKey(json, i, PRIORITY);
        if (i === NOT_PLAIN || this.#priorityStart > 0) return NOT_PLAIN;
        return this.#readPriority(json, i);
      default:
        return NOT_PLAIN;
    }
  }

  #readPriority(json: Uint8Array, at: number): number {
    const found = findPriority(json, at);
    if (found === NOT_PLAIN) return NOT_PLAIN;
    this.#priorityStart = at;
    // What is written ends before zeros that mean nothing; what was read ends behind them.
    this.#priorityEnd = at + (found & 0xff);
    return at + (found >> 8);
  }

  #write(json: Uint8Array, xml: Uint8Array, at: number): number {
    let o = append(xml, at, URL_OPEN);
    o = this.#urls.copy(json, this.#locStart, this.#locEnd, xml, o);
    o = append(xml, o, LOC_CLOSE);
    if (this.#lastmodStart > 0) {
      o = append(xml, o, LASTMOD_OPEN);
      o = copy(json, this.#lastmodStart, this.#lastmodEnd, xml, o);
      o = append(xml, o, LASTMOD_CLOSE);
    }
    if (this.#changefreqStart > 0) {
      o = append(xml, o, CHANGEFREQ_OPEN);
      o = copy(json, this.#changefreqStart, this.#changefreqEnd, xml, o);
      o = append(xml, o, CHANGEFREQ_CLOSE);
    }
    if (this.#priorityStart > 0) {
      o = append(xml, o, PRIORITY_OPEN);
      o = copy(json, this.#priorityStart, this.#priorityEnd, xml, o);
      o = append(xml, o, PRIORITY_CLOSE);
    }
    return append(xml, o, URL_CLOSE);
  }
}

// The rest of each key behind its first letter, with the quote.
const LOC = bytesOf('loc"');
const LASTMOD = bytesOf('lastmod"');
const CHANGEFREQ = bytesOf('changefreq"');
const PRIORITY = bytesOf('priority"');

/** The position of the value, if `json` has this key at `at`. */
function valueAfterKey(json: Uint8Array, at: number, key: Uint8Array): number {
  for (let k = 0; k < key.length; k++) if (json[at + k] !== key[k]) return NOT_PLAIN;
  const i = skipSpace(json, at + key.length);
  return json[i] === COLON ? skipSpace(json, i + 1) : NOT_PLAIN;
}

function skipSpace(json: Uint8Array, at: number): number {
  let i = at;
  while (json[i] === 0x20 || json[i] === 0x0a || json[i] === 0x0d || json[i] === 0x09) i++;
  return i;
}

/** The position of the next quote, at most `limit` bytes on; beyond, whatever stands there. */
function findQuote(json: Uint8Array, at: number, limit: number): number {
  const end = at + limit;
  let i = at;
  while (i < end && json[i] !== QUOTE) i++;
  return i;
}

function append(xml: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) xml[at + i] = bytes[i]!;
  return at + bytes.length;
}

function copy(json: Uint8Array, from: number, to: number, xml: Uint8Array, at: number): number {
  let o = at;
  for (let i = from; i < to; i++) xml[o++] = json[i]!;
  return o;
}
