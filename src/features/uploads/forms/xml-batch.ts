/** The current batch of an XML document: the ended records, which are still in the text window. */
import type { ElementBatch } from '../../../platform/json/element-scan.ts';
import { BATCH_LIMITS, endsBatch } from './batch-limits.ts';
import type { TextWindow } from './text-window.ts';

/** A batch ends if more than this many bytes after its last record belong to no record. */
const MAX_GAP_BYTES = 64 * 1024;

export class XmlBatch {
  readonly #text: TextWindow;
  /** The position of the first record. */
  #at = 0;
  #line = 1;
  /** The ends of the records, relative to `#at`. */
  readonly #ends = new Uint32Array(BATCH_LIMITS.elements);
  #count = 0;
  #firstIndex = 0;

  constructor(text: TextWindow) {
    this.#text = text;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The index of the next record in the whole document. */
  get nextIndex(): number {
    return this.#firstIndex + this.#count;
  }

  add(at: number, end: number): void {
    if (this.isEmpty) {
      this.#at = at;
      this.#line = this.#text.lineAt(at);
    }
    this.#ends[this.#count++] = end - this.#at;
  }

  /** `next` is the earliest position of the next record. */
  isFull(next: number): boolean {
    if (this.isEmpty) return false;
    const length = this.#ends[this.#count - 1]!;
    return endsBatch(this.nextIndex, length) || next - this.#at - length > MAX_GAP_BYTES;
  }

  /** Returns the records in a copy of their bytes, and empties the batch. Returns undefined if there are none. */
  take(): (ElementBatch & { readonly firstLine: number }) | undefined {
    if (this.isEmpty) return undefined;
    const ends = this.#ends.slice(0, this.#count);
    const bytes = Buffer.allocUnsafeSlow(ends.at(-1)!);
    this.#text.bytes.copy(bytes, 0, this.#at, this.#at + bytes.length);
    const firstIndex = this.#firstIndex;
    this.#firstIndex += this.#count;
    this.#count = 0;
    return { bytes, ends, firstIndex, firstLine: this.#line };
  }
}
