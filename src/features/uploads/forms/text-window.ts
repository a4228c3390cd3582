/** Holds the part of a text that is still needed, in the memory of the kernel. Counts lines from the beginning of the whole text. */
import { growMemory } from '../../../platform/grow-memory.ts';
import { VECTOR } from '../../../platform/kernel-layout.ts';
import { createFormsKernel } from './forms-kernel.ts';

/** Elements with longer names take the slow path. */
const MAX_NAME_BYTES = 64;

export class TextWindow {
  readonly #kernel = createFormsKernel();
  #memory = Buffer.from(this.#kernel.memory.buffer);
  readonly #nameAt = this.#kernel.heap.value;
  readonly #textAt = this.#nameAt + MAX_NAME_BYTES;
  /** The text is `bytes[0..end)`. */
  bytes = this.#memory.subarray(this.#textAt);
  end = 0;
  /** The line of `bytes[#countedTo]`, from 1. */
  #line = 1;
  #countedTo = 0;

  add(chunk: Uint8Array): void {
    const end = this.end + chunk.length;
    const grown = growMemory(this.#kernel.memory, this.#memory, this.#textAt + end + VECTOR);
    if (grown !== this.#memory) {
      this.#memory = grown as typeof this.bytes;
      this.bytes = this.#memory.subarray(this.#textAt);
    }
    this.bytes.set(chunk, this.end);
    this.end = end;
  }

  /**
   * Returns the position after the end tag of an element of the usual shape. `start` is the position after its start
   * tag. Returns -1 if the element needs a closer look.
   */
  plainElementEnd(start: number, name: Buffer): number {
    if (name.length > MAX_NAME_BYTES) return -1;
    for (let i = 0; i < name.length; i++) this.#memory[this.#nameAt + i] = name[i]!;
    const { plainElementEnd } = this.#kernel;
    const end = plainElementEnd(this.#textAt + start, this.#textAt + this.end, this.#nameAt, name.length);
    return end < 0 ? -1 : end - this.#textAt;
  }

  /** Returns the line of a position. Counts from the position of the last call. */
  lineAt(position: number): number {
    const [from, to] = [this.#countedTo, position].sort((a, b) => a - b) as [number, number];
    const breaks = this.#kernel.lineBreaks(this.#textAt + from, this.#textAt + to);
    this.#line += position >= this.#countedTo ? breaks : -breaks;
    this.#countedTo = position;
    return this.#line;
  }

  /** Drops the text before a position. That position is 0 from then on. */
  drop(to: number): void {
    this.lineAt(to);
    this.bytes.copyWithin(0, to, this.end);
    this.end -= to;
    this.#countedTo = 0;
  }
}
