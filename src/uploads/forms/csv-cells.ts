/**
 * Cuts a record of CSV into cells (RFC 4180): commas between them; a cell in quotes may have commas, line breaks and, as
 * two, quotes.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const CARRIAGE_RETURN = 0x0d;

/** What makes a cell unreadable, in the words that follow its name. */
export const CELL_FAULTS = {
  strayQuote: 'must be in quotes, with every inner quote doubled, because it has a quote',
  textAfterQuote: 'must end at its closing quote, and have every inner quote doubled',
  unclosed: 'must end with a quote: the quote that opens it is never closed',
} as const;

export type CellFault = keyof typeof CELL_FAULTS;

/** The cells of the record that was split last, as positions in its bytes, without the quotes around them. */
export class CsvCells {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** 1 for a cell in which quotes are doubled. */
  readonly doubled: Uint8Array;
  /** How many there are. Cells beyond the expected number are counted only. */
  count = 0;

  constructor(expected: number) {
    this.starts = new Int32Array(expected + 1);
    this.ends = new Int32Array(expected + 1);
    this.doubled = new Uint8Array(expected + 1);
  }

  /** `bytes[from..to)` has no line break at its end, except for a carriage return. The last cell has the fault, if there is one. */
  split(bytes: Uint8Array, from: number, to: number): CellFault | undefined {
    const end = to > from && bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
    const last = this.starts.length - 1;
    this.count = 0;
    let at = from;
    while (true) {
      const cell = this.count < last ? this.count : last;
      this.count++;
      if (at < end && bytes[at] === QUOTE) {
        at = this.#quoted(cell, bytes, at + 1, end);
        if (at < 0) return 'unclosed';
        if (at < end && bytes[at] !== COMMA) return 'textAfterQuote';
      } else {
        this.starts[cell] = at;
        this.doubled[cell] = 0;
        while (at < end && bytes[at] !== COMMA && bytes[at] !== QUOTE) at++;
        this.ends[cell] = at;
        if (at < end && bytes[at] === QUOTE) return 'strayQuote';
      }
      if (at === end) return undefined;
      at++;
    }
  }

  /** Returns the position after the closing quote, or -1. */
  #quoted(cell: number, bytes: Uint8Array, start: number, end: number): number {
    this.starts[cell] = start;
    this.doubled[cell] = 0;
    let at = start;
    while (true) {
      while (at < end && bytes[at] !== QUOTE) at++;
      if (at === end) {
        this.ends[cell] = end;
        return -1;
      }
      if (at + 1 === end || bytes[at + 1] !== QUOTE) break;
      this.doubled[cell] = 1;
      at += 2;
    }
    this.ends[cell] = at;
    return at + 1;
  }

  /** Whether the cell is not empty. */
  has(cell: number): boolean {
    return this.ends[cell]! > this.starts[cell]!;
  }

  /** The text of a cell, quotes undoubled. */
  textAt(cell: number, bytes: Buffer): string {
    const text = bytes.toString('utf8', this.starts[cell], this.ends[cell]);
    return this.doubled[cell] === 1 ? text.replaceAll('""', '"') : text;
  }
}
