/** Counts the lines of a batch up to its records. Only violations need lines, so counting begins with the first violation. */
import { memberPath } from '../../../core/sitemap/violation.ts';
import { isWhiteSpace } from '../../../platform/json/json-syntax.ts';
import type { Batch } from '../fragment.ts';
import type { RecordNames } from './batch-entries.ts';

const LINE_FEED = 0x0a;

export class RecordLines {
  readonly #bytes: Uint8Array;
  readonly #ends: Uint32Array;
  #line: number;
  #at = 0;
  /** The index of the record at `#at`. */
  #record = 0;

  constructor({ bytes, ends, firstLine = 1 }: Batch) {
    this.#bytes = bytes;
    this.#ends = ends;
    this.#line = firstLine;
  }

  /**
   * Returns the line of the first byte of record `i` that is no white space. Call it for the records in their order.
   */
  lineOf(i: number): number {
    const content = contentStart(this.#bytes, this.#ends, i);
    for (; this.#at < content; this.#at++) {
      // The end of a record was a line break, even if a reader has overwritten it.
      if (this.#at === this.#ends[this.#record]) {
        this.#record++;
        this.#line++;
      } else if (this.#bytes[this.#at] === LINE_FEED) this.#line++;
    }
    return this.#line;
  }
}

/** Names the records of a form that has one record in each line. */
export function lineNames(batch: Batch): RecordNames {
  const lines = new RecordLines(batch);
  return {
    lineOf: (i) => lines.lineOf(i),
    fieldName: (path) => (path.length === 0 ? 'line' : memberPath(path)),
    cureOf: ({ message }) => {
      const [, name] = /; rename (\S+) to loc$/.exec(message) ?? [];
      return name === undefined ? '' : `, or add columns=loc:${name}`;
    },
  };
}

/** Returns the start of record `i`, after blank lines and other white space. */
export function contentStart(bytes: Uint8Array, ends: Uint32Array, i: number): number {
  let at = i === 0 ? 0 : ends[i - 1]! + 1;
  while (at < ends[i]! && isWhiteSpace(bytes[at]!)) at++;
  return at;
}

/** Returns the end of record `i`, before white space. `start` is its start. */
export function contentEnd(bytes: Uint8Array, ends: Uint32Array, i: number, start: number): number {
  let end = ends[i]!;
  while (end > start && isWhiteSpace(bytes[end - 1]!)) end--;
  return end;
}
