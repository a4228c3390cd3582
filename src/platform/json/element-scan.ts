/**
 * Finds where the elements of a JSON array end. It looks at each byte once, follows strings and counts brackets,
 * and nothing else. It does not check that an element is JSON: the elements' parser does. In valid text, both see
 * the same strings and brackets, so the scan cuts valid text where a parser would.
 *
 * Elements leave in batches. Where a batch ends depends on the document alone, not on how it was chunked.
 */

import { Refusal } from '../refusal.ts';
import { isWhiteSpace, MAX_DEPTH, malformed, tooDeep } from './json-syntax.ts';

/** Consecutive elements of the array, in a buffer of their own. */
export interface ElementBatch {
  /** The elements and the commas between them. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** For each element, the position in `bytes` where it ends: that of the comma after it, or the end of `bytes`. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** Index in the array of the first element of the batch. */
  readonly firstIndex: number;
}

export interface BatchLimits {
  /** No batch crosses a multiple of this many elements. */
  readonly elements: number;
  /** A batch ends with the element that brings it to this size. */
  readonly bytes: number;
  /** Maximum length of one element. */
  readonly elementBytes: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const CLOSE_ARRAY = 0x5d;
/** A bracket and a brace differ only in BRACE_BIT. The scan ignores this bit; the elements' parser checks it. */
const OPEN = 0x7b;
const CLOSE = 0x7d;
const BRACE_BIT = 0x20;
/** The document's object and the array itself are open around an element. */
const MAX_ELEMENT_DEPTH = MAX_DEPTH - 2;

export class ElementScan {
  readonly #name: string;
  readonly #limits: BatchLimits;
  readonly #emit: (batch: ElementBatch) => void;

  #inString = false;
  #isEscaped = false;
  #depth = 0;
  /** Whether a byte of the current element has arrived. */
  #hasBegun = false;
  #firstIndex = 0;
  #ends: number[] = [];
  /** The batch's bytes from earlier chunks, and their count. */
  #parts: Uint8Array[] = [];
  #partBytes = 0;

  /** How many elements have ended. */
  count = 0;
  isDone = false;

  /** `name` is the array's name, for messages and fields. */
  constructor(name: string, limits: BatchLimits, emit: (batch: ElementBatch) => void) {
    this.#name = name;
    this.#limits = limits;
    this.#emit = emit;
  }

  /**
   * Scans from `at`. Returns the position after the closing bracket, or the end of the chunk. Keeps views of the
   * chunk until the batch is complete.
   */
  advance(chunk: Uint8Array, at: number): number {
    let from = at;
    let i = at;
    while (i < chunk.length) {
      if (this.#inString) {
        i = this.#skipString(chunk, i);
        continue;
      }
      if (this.#depth > 0) {
        i = this.#skipNested(chunk, i);
        continue;
      }
      const byte = chunk[i]!;
      if (byte === COMMA || byte === CLOSE_ARRAY) {
        this.#endElement(chunk, from, i, byte);
        if (this.#ends.length === 0) from = i + 1;
        i++;
        if (this.isDone) return i;
        continue;
      }
      if (!this.#hasBegun && !isWhiteSpace(byte)) {
        this.#hasBegun = true;
        if (this.#ends.length === 0) from = i;
      }
      if (byte === QUOTE) this.#inString = true;
      else if ((byte | BRACE_BIT) === OPEN) this.#depth = 1;
      else if (byte === CLOSE) throw malformed('a closing brace has no opening brace');
      i++;
    }
    if (this.#hasBegun || this.#ends.length > 0) {
      this.#parts.push(chunk.subarray(from));
      this.#partBytes += chunk.length - from;
      this.#checkElementSize(this.#partBytes);
    }
    return i;
  }

  /** Emits the elements that have ended. */
  flush(): void {
    if (this.#ends.length === 0) return;
    const bytes = new Uint8Array(this.#ends.at(-1)!);
    let offset = 0;
    for (const part of this.#parts) {
      const fitting = part.subarray(0, bytes.length - offset);
      bytes.set(fitting, offset);
      offset += fitting.length;
    }
    this.#emit({ bytes, ends: Uint32Array.from(this.#ends), firstIndex: this.#firstIndex });
    this.#firstIndex = this.count;
    this.#ends = [];
    this.#parts = [];
    this.#partBytes = 0;
  }

  #endElement(chunk: Uint8Array, from: number, at: number, byte: number): void {
    const isEmptyArray = byte === CLOSE_ARRAY && this.count === 0 && !this.#hasBegun;
    this.isDone = byte === CLOSE_ARRAY;
    if (isEmptyArray) return;
    if (!this.#hasBegun) throw malformed(`an element is missing in ${this.#name}`);
    const end = this.#partBytes + at - from;
    this.#checkElementSize(end);
    this.#ends.push(end);
    this.#hasBegun = false;
    this.count++;
    if (this.isDone || this.count % this.#limits.elements === 0 || end >= this.#limits.bytes) {
      this.#parts.push(chunk.subarray(from, at));
      this.flush();
    }
  }

  #checkElementSize(end: number): void {
    const before = this.#ends.at(-1);
    // The comma between two elements belongs to neither.
    const bytes = before === undefined ? end : end - before - 1;
    if (bytes <= this.#limits.elementBytes) return;
    const field = `${this.#name}[${this.count}]`;
    throw new Refusal(
      'VALIDATION_ERROR',
      `${field}: must be at most ${this.#limits.elementBytes} bytes long`,
      {
        details: { field, value: null },
      },
    );
  }

  /** Skips the inside of an element's brackets, where a comma does not end the element. */
  #skipNested(chunk: Uint8Array, at: number): number {
    const end = chunk.length;
    let depth = this.#depth;
    let i = at;
    while (i < end) {
      const byte = chunk[i++]!;
      if (byte === QUOTE) {
        // Strings are most of the text. A string that ends in this chunk is skipped without leaving this loop.
        while (i < end) {
          const inner = chunk[i]!;
          if (inner === QUOTE) break;
          if (inner === BACKSLASH) i++;
          i++;
        }
        if (i < end) {
          i++;
          continue;
        }
        this.#inString = true;
        this.#isEscaped = i > end;
        this.#depth = depth;
        return end;
      }
      const kind = byte | BRACE_BIT;
      if (kind === OPEN) {
        if (++depth > MAX_ELEMENT_DEPTH) throw tooDeep();
      } else if (kind === CLOSE && --depth === 0) break;
    }
    this.#depth = depth;
    return i;
  }

  #skipString(chunk: Uint8Array, at: number): number {
    let i = at;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      i++;
    }
    for (; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (byte === QUOTE) {
        this.#inString = false;
        return i + 1;
      }
      if (byte === BACKSLASH) i++;
    }
    this.#isEscaped = i > chunk.length;
    return chunk.length;
  }
}
