/**
 * Cuts a record of CSV into cells (RFC 4180). Commas separate cells. A cell in quotes may have commas, line breaks and
 * doubled quotes.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const CARRIAGE_RETURN = 0x0d;

/** The messages about unreadable cells, which follow the name of the cell. */
export const CELL_FAULTS = {
  strayQuote: 'must be in quotes, with every inner quote doubled, because it has a quote',
  textAfterQuote: 'must end at its closing quote, and have every inner quote doubled',
  unclosed: 'must end with a quote: the quote that opens it is never closed',
} as const;

export type CellFault = keyof typeof CELL_FAULTS;

/** The cells of the last split record, as positions in its bytes, without the quotes around them. */
export class CsvCells {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The value is 1 for a cell in which quotes are doubled. */
  readonly doubled: Uint8Array;
  /** The number of cells. Those beyond the expected number are only counted. */
  count = 0;

  constructor(expected: number) {
    this.starts = new Int32Array(expected + 1);
    this.ends = new Int32Array(expected + 1);
    this.doubled = new Uint8Array(expected + 1);
  }

  /** Splits `bytes[from..to)`, which may end with a carriage return but not with a line feed. A fault is in the last cell. */
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

  /** Returns the text of a cell, with its doubled quotes made single. */
  textAt(cell: number, bytes: Buffer): string {
    const text = bytes.toString('utf8', this.starts[cell], this.ends[cell]);
    return this.doubled[cell] === 1 ? text.replaceAll('""', '"') : text;
  }
}
