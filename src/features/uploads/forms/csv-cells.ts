/**
 * Cuts a record of CSV into cells, by RFC 4180 and by the variants that databases write. A cell in quotes may have separators, line breaks
 * and doubled quotes.
 */
import type { Dialect } from './dialect.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CARRIAGE_RETURN = 0x0d;
const LETTER_N = 0x4e;

export interface CellSyntax {
  /** The byte between two cells. */
  readonly delimiter: number;
  /** Whether a backslash escapes the byte after it, as in `\"`, `\,` and `\t`. */
  readonly hasEscapes: boolean;
  /** Whether a cell that begins with a quote ends at another quote. Otherwise a quote is a character like any other. */
  readonly hasQuotes: boolean;
}

/** Returns the syntax of a dialect, without its delimiter. */
export function syntaxOf({ escape: escapes, quote }: Dialect): Omit<CellSyntax, 'delimiter'> {
  return { hasEscapes: escapes === 'backslash', hasQuotes: quote !== 'none' };
}

/**
 * Whether a quote inside an unquoted cell is a fault. Programs that separate cells by commas or semicolons put each cell that has a quote
 * in quotes. Programs with other delimiters may leave such a cell unquoted.
 */
export function refusesStrayQuotes({ delimiter, hasEscapes, hasQuotes }: CellSyntax): boolean {
  return hasQuotes && !hasEscapes && (delimiter === 0x2c || delimiter === 0x3b);
}

/** The messages about unreadable cells. Each continues a sentence that begins with the name of the cell. */
export const CELL_FAULTS = {
  strayQuote:
    'must be in quotes, with every inner quote doubled, because it has a quote; if its quotes stand behind a backslash, add escape=backslash; if they are text, add quote=none',
  textAfterQuote:
    'must end at its closing quote, and have every inner quote doubled, or behind a backslash with escape=backslash; if its quotes are text, add quote=none',
  unclosed:
    'must end with a quote: the quote that opens it is never closed; if its quotes are text, add quote=none',
} as const;

/** The cure of cells with apostrophes around them. */
export const APOSTROPHES = `if its cells are quoted by ', export it with " in their place`;

export const isInApostrophes = (cell: unknown) => typeof cell === 'string' && /^\s*'/.test(cell);

export type CellFault = keyof typeof CELL_FAULTS;

/** Marks of a cell. */
const IS_QUOTED = 1;
const HAS_DOUBLED = 2;
const HAS_ESCAPES = 4;

/** The cells of the last split record, as positions in its bytes, without the quotes around them. */
export class CsvCells {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly #marks: Uint8Array;
  readonly #delimiter: number;
  readonly #hasEscapes: boolean;
  readonly #hasQuotes: boolean;
  readonly #refusesStray: boolean;
  /** The number of cells. Cells beyond the expected number are only counted. */
  count = 0;

  constructor(expected: number, syntax: CellSyntax) {
    this.starts = new Int32Array(expected + 1);
    this.ends = new Int32Array(expected + 1);
    this.#marks = new Uint8Array(expected + 1);
    this.#delimiter = syntax.delimiter;
    this.#hasEscapes = syntax.hasEscapes;
    this.#hasQuotes = syntax.hasQuotes;
    this.#refusesStray = refusesStrayQuotes(syntax);
  }

  /**
   * Splits `bytes[from..to)`, which may end with a carriage return but not with a line feed. Returns a fault, which is in cell `count - 1`.
   */
  split(bytes: Uint8Array, from: number, to: number): CellFault | undefined {
    const end = to > from && bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
    const last = this.starts.length - 1;
    this.count = 0;
    let at = from;
    while (true) {
      const cell = this.count < last ? this.count : last;
      this.count++;
      if (this.#hasQuotes && at < end && bytes[at] === QUOTE) {
        at = this.#quoted(cell, bytes, at + 1, end);
        if (at < 0) return 'unclosed';
        if (at < end && bytes[at] !== this.#delimiter) return 'textAfterQuote';
      } else {
        at = this.#unquoted(cell, bytes, at, end);
        if (at < end && bytes[at] !== this.#delimiter) return 'strayQuote';
      }
      if (at === end) return undefined;
      at++;
    }
  }

  /** Whether the cell is not empty. */
  has(cell: number): boolean {
    return this.ends[cell]! > this.starts[cell]!;
  }

  /** Whether the cell is `\N`. Databases write it for NULL. */
  isMissing(cell: number, bytes: Uint8Array): boolean {
    const start = this.starts[cell]!;
    const isShort = this.ends[cell]! === start + 2 && (this.#marks[cell]! & IS_QUOTED) === 0;
    return isShort && bytes[start] === BACKSLASH && bytes[start + 1] === LETTER_N;
  }

  /** Whether the bytes of a cell are its text, without escapes or doubled quotes. */
  isPlain(cell: number): boolean {
    return (this.#marks[cell]! & ~IS_QUOTED) === 0;
  }

  /** Returns the text of a cell. Its escapes and doubled quotes become the characters that they stand for. */
  textAt(cell: number, bytes: Buffer): string {
    const text = bytes.toString('utf8', this.starts[cell], this.ends[cell]);
    if (this.isPlain(cell)) return text;
    if (!this.#hasEscapes) return text.replaceAll('""', '"');
    const pattern = (this.#marks[cell]! & IS_QUOTED) === 0 ? /\\(.)/gs : /\\(.)|""/gs;
    // A backslash before a character that is not in ESCAPES stands for that character.
    return text.replaceAll(pattern, (_, escaped?: string) =>
      escaped === undefined ? '"' : (ESCAPES[escaped] ?? escaped),
    );
  }

  /** Returns the position of the byte that ends the cell. */
  #unquoted(cell: number, bytes: Uint8Array, start: number, end: number): number {
    this.starts[cell] = start;
    let marks = 0;
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === this.#delimiter || (byte === QUOTE && this.#refusesStray)) break;
      if (byte !== BACKSLASH || !this.#hasEscapes || at + 1 === end) continue;
      marks = HAS_ESCAPES;
      at++;
    }
    this.#marks[cell] = marks;
    this.ends[cell] = at;
    return at;
  }

  /** Returns the position after the closing quote, or -1. */
  #quoted(cell: number, bytes: Uint8Array, start: number, end: number): number {
    this.starts[cell] = start;
    let marks = IS_QUOTED;
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        if (at + 1 === end || bytes[at + 1] !== QUOTE) break;
        marks |= HAS_DOUBLED;
        at++;
      } else if (byte === BACKSLASH && this.#hasEscapes) {
        marks |= HAS_ESCAPES;
        at++;
      }
    }
    this.#marks[cell] = marks;
    this.ends[cell] = Math.min(at, end);
    return at < end ? at + 1 : -1;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  '0': '\0',
};
