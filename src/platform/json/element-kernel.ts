/**
 * The host of the WebAssembly that finds elements (element-kernel/find-elements.ts describes their interface). It keeps
 * the text of the current batch in the WebAssembly's memory, so chunks can be garbage at once.
 */
import { readFileSync } from 'node:fs';
import { growMemory } from '../grow-memory.ts';
import type { BatchLimits } from './element-scan.ts';

/** What stops a scan, besides faults. element-kernel/find-elements.ts has the same numbers. */
export const ELEMENT_EVENT = {
  consumed: 0,
  batchIsFull: 1,
  arrayEnds: 2,
  elementIsMissing: 3,
  braceIsNotOpen: 4,
  tooDeep: 5,
} as const;

/** The scan reads so many bytes at a time. */
const BLOCK = 64;
/** Instances for later uploads. A larger one is left to the garbage collector: memory never shrinks. */
const MAX_FREE = 16;
const MAX_KEPT_BYTES = 2 * 1024 * 1024;

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly heap: WebAssembly.Global;
  readonly position: WebAssembly.Global;
  readonly start: WebAssembly.Global;
  readonly ended: WebAssembly.Global;
  readonly hasBegun: WebAssembly.Global;
  begin(ends: number, bytes: number, elementBytes: number, depth: number): void;
  beginBatch(text: number, elements: number): void;
  scan(to: number): number;
}

/** Compiled with the first upload. */
let module: WebAssembly.Module | undefined;
const free: ElementKernel[] = [];

export class ElementKernel {
  readonly #exports: Exports;
  #memory: Buffer;
  readonly #endsAt: number;
  #textAt = 0;
  /** The end of the text that has arrived. */
  #textEnd = 0;
  /** No batch crosses a multiple of so many elements of the array. */
  #maxElements = 0;
  /** How many elements of the array are in earlier batches. */
  #taken = 0;

  private constructor() {
    module ??= new WebAssembly.Module(
      readFileSync(new URL('./element-kernel/element-kernel.wasm', import.meta.url)),
    );
    this.#exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
    this.#memory = Buffer.from(this.#exports.memory.buffer);
    this.#endsAt = this.#exports.heap.value;
  }

  /** An instance at the beginning of an array. Release it at the end. */
  static take({ elements, bytes, elementBytes }: BatchLimits, maxDepth: number): ElementKernel {
    const kernel = free.pop() ?? new ElementKernel();
    kernel.#textAt = kernel.#textEnd = (kernel.#endsAt + 4 * elements + BLOCK - 1) & -BLOCK;
    kernel.#maxElements = elements;
    kernel.#taken = 0;
    kernel.#makeRoom(0);
    kernel.#exports.begin(kernel.#endsAt, bytes, elementBytes, maxDepth);
    kernel.#beginBatch();
    return kernel;
  }

  /** Nothing may use the instance afterwards. */
  release(): void {
    if (free.length < MAX_FREE && this.#memory.length <= MAX_KEPT_BYTES) free.push(this);
  }

  add(chunk: Uint8Array): void {
    this.#makeRoom(chunk.length);
    this.#memory.set(chunk, this.#textEnd);
    this.#textEnd += chunk.length;
  }

  /** Goes on until something stops it: one of ELEMENT_EVENT, or another number if an element is too long. */
  scan(): number {
    const event = this.#exports.scan(this.#textEnd);
    // White space before the first element of a batch is not kept.
    if (event === ELEMENT_EVENT.consumed && this.ended === 0 && this.#exports.hasBegun.value === 0) {
      this.#textEnd = this.#textAt;
      this.#beginBatch();
    }
    return event;
  }

  /** How many elements of the batch have ended. */
  get ended(): number {
    return this.#exports.ended.value;
  }

  /** How many bytes have arrived and were not looked at. */
  get restBytes(): number {
    return this.#textEnd - this.#exports.position.value;
  }

  /** The elements that have ended, if any. The next batch begins with the byte that was not yet looked at. */
  takeBatch(): { bytes: Uint8Array<ArrayBuffer>; ends: Uint32Array<ArrayBuffer> } | undefined {
    const count = this.ended;
    if (count === 0) return undefined;
    const ends = new Uint32Array(this.#memory.buffer, this.#endsAt, count).slice();
    const start = this.#exports.start.value;
    // Not a plain Uint8Array: it is filled with zeros first.
    const bytes = Buffer.allocUnsafeSlow(ends.at(-1)!);
    this.#memory.copy(bytes, 0, start, start + bytes.length);
    const rest = this.restBytes;
    this.#memory.copyWithin(this.#textAt, this.#textEnd - rest, this.#textEnd);
    this.#textEnd = this.#textAt + rest;
    this.#taken += count;
    this.#beginBatch();
    return { bytes, ends };
  }

  #beginBatch(): void {
    this.#exports.beginBatch(this.#textAt, this.#maxElements - (this.#taken % this.#maxElements));
  }

  #makeRoom(bytes: number): void {
    this.#memory = growMemory(this.#exports.memory, this.#memory, this.#textEnd + bytes + BLOCK);
  }
}
