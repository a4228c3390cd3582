/**
 * The host of WebAssembly that cuts a text into batches of records: of elements of a JSON array, or of lines. It keeps
 * the text of the current batch in the WebAssembly's memory, so chunks can be garbage at once.
 */
import { readFileSync } from 'node:fs';
import { growMemory } from './grow-memory.ts';

/** What every scan may stop with. Other numbers are the module's own. */
export const BATCH_EVENT = { consumed: 0, batchIsFull: 1 } as const;

export interface BatchLimits {
  /** No batch crosses a multiple of this many records. */
  readonly elements: number;
  /** A divisor of `elements`. */
  readonly group: number;
  /** A batch of this size ends at the next multiple of `group` records. */
  readonly bytes: number;
  /** A batch ends with the record that brings it to this size. */
  readonly maxBytes: number;
  /** Maximum length of one record. */
  readonly elementBytes: number;
}

/** The modules read and write so many bytes at a time. */
const BLOCK = 64;
/** Instances of a module for later uploads. A larger one is left to the garbage collector: memory never shrinks. */
const MAX_FREE = 16;
const MAX_KEPT_BYTES = 2 * 1024 * 1024;

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly heap: WebAssembly.Global;
  readonly position: WebAssembly.Global;
  readonly start: WebAssembly.Global;
  readonly ended: WebAssembly.Global;
  readonly hasBegun: WebAssembly.Global;
  begin(
    ends: number,
    group: number,
    bytes: number,
    maxBytes: number,
    elementBytes: number,
    parameter: number,
  ): void;
  beginBatch(text: number, elements: number): void;
  scan(to: number): number;
}

/** A compiled module, with its instances that nobody uses. */
export interface KernelModule<More> {
  readonly compiled: WebAssembly.Module;
  readonly free: BatchKernel<More>[];
}

export function compileKernel<More = unknown>(file: URL): KernelModule<More> {
  return { compiled: new WebAssembly.Module(readFileSync(file)), free: [] };
}

/** `More`: the module's exports beside those that all have. */
export class BatchKernel<More = unknown> {
  readonly #module: KernelModule<More>;
  readonly exports: Exports & More;
  #memory: Buffer;
  readonly #endsAt: number;
  #textAt = 0;
  /** The end of the text that has arrived. */
  #textEnd = 0;
  /** No batch crosses a multiple of so many records. */
  #maxElements = 0;
  /** How many records are in earlier batches. */
  #taken = 0;

  private constructor(module: KernelModule<More>) {
    this.#module = module;
    this.exports = new WebAssembly.Instance(module.compiled, {}).exports as unknown as Exports & More;
    this.#memory = Buffer.from(this.exports.memory.buffer);
    this.#endsAt = this.exports.heap.value;
  }

  /** An instance at the beginning of a text. `parameter` is the module's own. Release it at the end. */
  static take<More>(
    module: KernelModule<More>,
    { elements, group, bytes, maxBytes, elementBytes }: BatchLimits,
    parameter: number,
  ): BatchKernel<More> {
    const kernel = module.free.pop() ?? new BatchKernel(module);
    kernel.#textAt = kernel.#textEnd = (kernel.#endsAt + 4 * elements + BLOCK - 1) & -BLOCK;
    kernel.#maxElements = elements;
    kernel.#taken = 0;
    kernel.#makeRoom(0);
    kernel.exports.begin(kernel.#endsAt, group, bytes, maxBytes, elementBytes, parameter);
    kernel.#beginBatch();
    return kernel;
  }

  /** Nothing may use the instance afterwards. */
  release(): void {
    const { free } = this.#module;
    if (free.length < MAX_FREE && this.#memory.length <= MAX_KEPT_BYTES) free.push(this);
  }

  add(chunk: Uint8Array): void {
    this.#makeRoom(chunk.length);
    this.#memory.set(chunk, this.#textEnd);
    this.#textEnd += chunk.length;
  }

  /** Goes on until something stops it: one of BATCH_EVENT, or another number of the module. */
  scan(): number {
    const event = this.exports.scan(this.#textEnd);
    // What comes between batches is not kept.
    if (event === BATCH_EVENT.consumed && this.ended === 0 && this.exports.hasBegun.value === 0) {
      this.#textEnd = this.#textAt;
      this.#beginBatch();
    }
    return event;
  }

  /** How many records of the batch have ended. */
  get ended(): number {
    return this.exports.ended.value;
  }

  /** How many bytes have arrived and were not looked at. */
  get restBytes(): number {
    return this.#textEnd - this.exports.position.value;
  }

  /** The records that have ended, if any. The next batch begins with the byte that was not yet looked at. */
  takeBatch(): { bytes: Uint8Array<ArrayBuffer>; ends: Uint32Array<ArrayBuffer> } | undefined {
    const count = this.ended;
    if (count === 0) return undefined;
    const ends = new Uint32Array(this.#memory.buffer, this.#endsAt, count).slice();
    const start = this.exports.start.value;
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
    this.exports.beginBatch(this.#textAt, this.#maxElements - (this.#taken % this.#maxElements));
  }

  #makeRoom(bytes: number): void {
    this.#memory = growMemory(this.exports.memory, this.#memory, this.#textEnd + bytes + BLOCK);
  }
}
