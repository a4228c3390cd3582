/**
 * Runs a WebAssembly module that cuts a text into batches of records: elements of a JSON array, or lines. Each chunk is copied into the
 * module's memory, so no chunk is kept.
 */
import { readFileSync } from 'node:fs';
import { growMemory } from './grow-memory.ts';
import { BLOCK, CONSUMED } from './kernel-layout.ts';

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

/** The most free instances that are kept for later uploads, and the most memory of such an instance. WebAssembly memory never shrinks. */
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

/** A compiled module, with its free instances. */
export interface KernelModule<More> {
  readonly compiled: WebAssembly.Module;
  readonly free: BatchKernel<More>[];
}

export function compileKernel<More = unknown>(file: URL): KernelModule<More> {
  return { compiled: new WebAssembly.Module(readFileSync(file)), free: [] };
}

/** `More`: the module's own exports, beside the common ones. */
export class BatchKernel<More = unknown> {
  readonly #module: KernelModule<More>;
  readonly exports: Exports & More;
  #memory: Buffer;
  readonly #endsAt: number;
  #textAt = 0;
  /** The end in memory of the text that has arrived. */
  #textEnd = 0;
  /** No batch crosses a multiple of this many records. */
  #maxElements = 0;
  /** The number of records in earlier batches. */
  #taken = 0;

  private constructor(module: KernelModule<More>) {
    this.#module = module;
    this.exports = new WebAssembly.Instance(module.compiled, {}).exports as unknown as Exports & More;
    this.#memory = Buffer.from(this.exports.memory.buffer);
    this.#endsAt = this.exports.heap.value;
  }

  /** Takes an instance for a new text. `parameter`: the module defines its meaning. The caller releases the instance. */
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

  /** Gives the instance back. The caller must not use it afterwards. */
  release(): void {
    const { free } = this.#module;
    if (free.length < MAX_FREE && this.#memory.length <= MAX_KEPT_BYTES) free.push(this);
  }

  add(chunk: Uint8Array): void {
    this.#makeRoom(chunk.length);
    this.#memory.set(chunk, this.#textEnd);
    this.#textEnd += chunk.length;
  }

  /** Scans until an event stops the scan, and returns the event: a number of `kernel-layout.ts`. */
  scan(): number {
    const event = this.exports.scan(this.#textEnd);
    // Bytes between batches are not kept.
    if (event === CONSUMED && this.ended === 0 && this.exports.hasBegun.value === 0) {
      this.#textEnd = this.#textAt;
      this.#beginBatch();
    }
    return event;
  }

  /** The number of ended records in the batch. */
  get ended(): number {
    return this.exports.ended.value;
  }

  /** The number of bytes that have arrived and are not scanned yet. */
  get restBytes(): number {
    return this.#textEnd - this.exports.position.value;
  }

  /** Takes the records that have ended, if any. The next batch begins with the first byte that is not scanned yet. */
  takeBatch(): { bytes: Uint8Array<ArrayBuffer>; ends: Uint32Array<ArrayBuffer> } | undefined {
    const count = this.ended;
    if (count === 0) return undefined;
    const ends = new Uint32Array(this.#memory.buffer, this.#endsAt, count).slice();
    const start = this.exports.start.value;
    // A new Uint8Array would be filled with zeros first.
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
