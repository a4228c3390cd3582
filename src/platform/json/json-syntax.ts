/**
 * The grammar of RFC 8259 as a state machine over bytes: strict, resumable at any byte, and of constant size. It keeps no text. It stops at
 * events in the outermost object, so that its caller can take the keys and values of this object. It checks deeper levels without events.
 *
 * ```
 * START ─{→ FIRST_KEY ─"→ (key) → COLON → VALUE → (value) → AFTER ─,→ KEY ─"→ …
 *                                                            AFTER ─}→ DONE at the outermost object
 * ```
 * UTF-8 is not checked here (see utf8-check.ts).
 */
import { Refusal } from '../refusal.ts';

/** Maximum depth of an array or object. The document itself has depth 1. */
export const MAX_DEPTH = 32;

const START = 0;
const FIRST_KEY = 1;
const KEY = 2;
const COLON = 3;
const VALUE = 4;
const FIRST_ELEMENT = 5;
const AFTER = 6;
const STRING = 7;
const ESCAPE = 8;
const HEX = 9;
const LITERAL = 10;
const MINUS = 11;
const ZERO = 12;
const INTEGER = 13;
const POINT = 14;
const FRACTION = 15;
const EXPONENT = 16;
const EXPONENT_SIGN = 17;
const EXPONENT_DIGITS = 18;
const DONE = 19;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const CAPITAL_N = 0x4e;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

export type SyntaxEvent =
  /** The chunk is used up. */
  | 'more'
  /** At the quote that opens a key of the outermost object. */
  | 'key-start'
  /** After the quote that closes a key of the outermost object. */
  | 'key-end'
  /** At the first byte of a value of the outermost object. */
  | 'value-start'
  /** After the last byte of a value of the outermost object. */
  | 'value-end';

export class JsonSyntax {
  #state = START;
  #depth = 0;
  /** The closing byte of each open container. */
  readonly #closers = new Uint8Array(MAX_DEPTH + 1);
  #isKey = false;
  #isAnnounced = false;
  #literal = '';
  /** In a literal: the number of characters read so far. In an escape: the number of missing hexadecimal digits. */
  #count = 0;

  /** The event that ended the last `advance`. */
  event: SyntaxEvent = 'more';

  get isDone(): boolean {
    return this.#state === DONE;
  }

  /** Skips a value. A parser calls it at 'value-start', when it reads the bytes of the value itself. */
  skipValue(): void {
    this.#state = AFTER;
    this.#isAnnounced = false;
  }

  /** Skips the whole document. A parser calls it before the first byte, when it reads the bytes of the document itself. */
  skipDocument(): void {
    this.#state = DONE;
  }

  /** Reads from `at` to the next event and returns its position. */
  advance(chunk: Uint8Array, at: number): number {
    const end = chunk.length;
    let i = at;
    while (i < end) {
      const byte = chunk[i]!;
      switch (this.#state) {
        case STRING:
          i = skipPlainText(chunk, i);
          if (i === end) break;
          if (chunk[i] === BACKSLASH) this.#state = ESCAPE;
          else if (chunk[i] === QUOTE) {
            i++;
            this.#state = this.#isKey ? COLON : AFTER;
            if (this.#depth === 1) return this.#stop(this.#isKey ? 'key-end' : 'value-end', i);
            break;
          } else throw malformed('a string contains a control character');
          i++;
          break;
        case ESCAPE:
          if (byte === 0x75) {
            this.#state = HEX;
            this.#count = 4;
          } else if ('"\\/bfnrt'.includes(String.fromCharCode(byte))) this.#state = STRING;
          else throw malformed('a backslash does not start an escape');
          i++;
          break;
        case HEX:
          if (!isHexDigit(byte)) throw malformed('\\u is not followed by four hexadecimal digits');
          if (--this.#count === 0) this.#state = STRING;
          i++;
          break;
        case LITERAL:
          if (byte !== this.#literal.charCodeAt(this.#count)) throw malformed('a value is not a JSON value');
          i++;
          if (++this.#count === this.#literal.length && this.#valueEnds()) return this.#stop('value-end', i);
          break;
        case MINUS:
        case ZERO:
        case INTEGER:
        case POINT:
        case FRACTION:
        case EXPONENT:
        case EXPONENT_SIGN:
        case EXPONENT_DIGITS:
          if (this.#numberGoesOn(byte)) {
            i++;
            if (isDigit(byte)) i = this.#skipDigits(chunk, i);
          } else if (this.#valueEnds()) return this.#stop('value-end', i);
          break;
        default:
          if (isWhiteSpace(byte)) {
            i++;
            break;
          }
          if (this.#mustAnnounce(byte)) return i;
          i++;
          if (this.#structure(byte)) return this.#stop('value-end', i);
      }
    }
    return this.#stop('more', i);
  }

  #stop(event: SyntaxEvent, at: number): number {
    this.event = event;
    return at;
  }

  /** Stops once before each key and value of the outermost object. */
  #mustAnnounce(byte: number): boolean {
    if (this.#depth !== 1 || this.#isAnnounced) return false;
    if (this.#state === VALUE) this.event = 'value-start';
    else if ((this.#state === KEY || this.#state === FIRST_KEY) && byte === QUOTE) this.event = 'key-start';
    else return false;
    this.#isAnnounced = true;
    return true;
  }

  /** Reads a byte outside of strings, numbers and literals. Returns true when it ends a value of the outermost object. */
  #structure(byte: number): boolean {
    this.#isAnnounced = false;
    switch (this.#state) {
      case START:
        if (byte !== OPEN_OBJECT) throw malformed(`it must be a JSON object${butBegins(byte)}`);
        this.#open(CLOSE_OBJECT);
        return false;
      case FIRST_KEY:
      case KEY:
        if (byte === QUOTE) {
          this.#isKey = true;
          this.#state = STRING;
          return false;
        }
        if (byte === CLOSE_OBJECT && this.#state === FIRST_KEY) return this.#close(byte);
        if (byte === CLOSE_OBJECT) throw malformed('a comma stands before a closing brace');
        throw malformed('a key is not in double quotes');
      case COLON:
        if (byte !== 0x3a) throw malformed('a colon is missing after a key');
        this.#state = VALUE;
        return false;
      case AFTER:
        if (byte !== COMMA) return this.#close(byte);
        this.#state = this.#closers[this.#depth] === CLOSE_OBJECT ? KEY : VALUE;
        return false;
      case FIRST_ELEMENT:
        if (byte === CLOSE_ARRAY) return this.#close(byte);
        return this.#beginValue(byte);
      case VALUE:
        return this.#beginValue(byte);
      default:
        throw malformed(TEXT_FOLLOWS);
    }
  }

  #beginValue(byte: number): false {
    if (byte === QUOTE) {
      this.#isKey = false;
      this.#state = STRING;
    } else if (byte === OPEN_OBJECT) this.#open(CLOSE_OBJECT);
    else if (byte === OPEN_ARRAY) this.#open(CLOSE_ARRAY);
    else if (byte === 0x2d) this.#state = MINUS;
    else if (byte === 0x30) this.#state = ZERO;
    else if (isDigit(byte)) this.#state = INTEGER;
    else {
      const literal = ['true', 'false', 'null'].find((text) => text.charCodeAt(0) === byte);
      if (literal === undefined) throw malformed(valueFault(byte));
      this.#literal = literal;
      this.#count = 1;
      this.#state = LITERAL;
    }
    return false;
  }

  #open(closer: number): void {
    if (this.#depth === MAX_DEPTH) throw tooDeep();
    this.#closers[++this.#depth] = closer;
    this.#state = closer === CLOSE_OBJECT ? FIRST_KEY : FIRST_ELEMENT;
  }

  #close(byte: number): boolean {
    if (byte !== this.#closers[this.#depth]) throw malformed('a comma or a closing bracket is missing');
    this.#depth--;
    if (this.#depth > 0) return this.#valueEnds();
    this.#state = DONE;
    return false;
  }

  #valueEnds(): boolean {
    this.#state = AFTER;
    return this.#depth === 1;
  }

  #numberGoesOn(byte: number): boolean {
    const state = this.#state;
    if (isDigit(byte)) {
      if (state === ZERO) throw malformed('a number has a leading zero');
      if (state === MINUS) this.#state = byte === 0x30 ? ZERO : INTEGER;
      else if (state === POINT) this.#state = FRACTION;
      else if (state === EXPONENT || state === EXPONENT_SIGN) this.#state = EXPONENT_DIGITS;
      return true;
    }
    const isExponent = byte === 0x65 || byte === 0x45;
    if (byte === 0x2e && (state === ZERO || state === INTEGER)) this.#state = POINT;
    else if (isExponent && (state === ZERO || state === INTEGER || state === FRACTION))
      this.#state = EXPONENT;
    else if ((byte === 0x2b || byte === 0x2d) && state === EXPONENT) this.#state = EXPONENT_SIGN;
    else if (state === MINUS || state === POINT || state === EXPONENT || state === EXPONENT_SIGN) {
      throw malformed('a number is incomplete');
    } else return false;
    return true;
  }

  #skipDigits(chunk: Uint8Array, at: number): number {
    if (this.#state === ZERO) return at;
    let i = at;
    while (i < chunk.length && isDigit(chunk[i]!)) i++;
    return i;
  }
}

export const TEXT_FOLLOWS = 'text follows its end';

/** Says why the bytes are not exactly one JSON object. Returns undefined if they are one. */
export function faultInObject(json: Uint8Array): string | undefined {
  const syntax = new JsonSyntax();
  try {
    for (let at = 0; at < json.length; ) at = syntax.advance(json, at);
    return syntax.isDone ? undefined : 'it ends too early';
  } catch (error) {
    if (error instanceof Malformed) return error.problem;
    throw error;
  }
}

/** Names the first character of a body. Shells that know no single quotes, as those of Windows, leave a quote there. */
function butBegins(byte: number): string {
  const isVisible = byte > 0x20 && byte < 0x7f;
  return isVisible ? `, and it begins with ${String.fromCharCode(byte)}` : '';
}

function valueFault(byte: number): string {
  if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) return 'a value is missing';
  // Python writes NaN for numbers that are not there, and None is its null.
  if (byte === CAPITAL_N) return 'NaN and None are no JSON values: write null, or leave the member out';
  return 'a value is not a JSON value; texts must be in double quotes';
}

/** Whether a value of JSON.parse has more than `levels` levels of arrays and objects. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

export class Malformed extends Refusal {
  /** The fault in the text. */
  readonly problem: string;

  constructor(problem: string) {
    super('BAD_REQUEST', `The request body is not valid: ${problem}.`);
    this.problem = problem;
  }
}

export function malformed(problem: string): Malformed {
  return new Malformed(problem);
}

export function tooDeep(): Malformed {
  return malformed(`it is nested deeper than ${MAX_DEPTH} levels`);
}

export function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function skipPlainText(chunk: Uint8Array, at: number): number {
  let i = at;
  for (; i < chunk.length; i++) {
    const byte = chunk[i]!;
    if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) break;
  }
  return i;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
