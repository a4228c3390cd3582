/** Hashes URLs as uploads do (`kernels/entry-hash.ts`), in WebAssembly. An instance serves one text at a time. */
import { readFileSync } from 'node:fs';
import { escapeText } from '../../core/sitemap/xml-text.ts';
import { growMemory } from '../../platform/grow-memory.ts';
import { MAX_HASHED, PADDING } from './kernel-layout.ts';

interface KernelExports {
  readonly memory: WebAssembly.Memory;
  readonly HASHES: WebAssembly.Global;
  readonly TEXT: WebAssembly.Global;
  readonly position: WebAssembly.Global;
  hashLoc(from: number, to: number, seed: bigint): bigint;
  hashLocs(from: number, to: number, seed: bigint): number;
}

/** The compiled WebAssembly module; undefined before the first `LocKernel`. */
let module: WebAssembly.Module | undefined;

export class LocKernel {
  readonly #exports: KernelExports;
  #memory: Buffer;
  /** The end of the text that is not hashed yet. */
  #textEnd: number;

  constructor() {
    module ??= new WebAssembly.Module(readFileSync(new URL('./kernel.wasm', import.meta.url)));
    this.#exports = new WebAssembly.Instance(module, {}).exports as unknown as KernelExports;
    this.#memory = Buffer.from(this.#exports.memory.buffer);
    this.#textEnd = this.#exports.TEXT.value;
  }

  hashOf(loc: string, seed: bigint): bigint {
    this.begin();
    const at = this.#append(Buffer.from(escapeText(loc)));
    return BigInt.asUintN(64, this.#exports.hashLoc(at, this.#textEnd, seed));
  }

  /** Begins the XML of a file. */
  begin(): void {
    this.#textEnd = this.#exports.TEXT.value;
  }

  /**
   * Takes the next piece of the XML. Yields hashes of entries. Each hash is two words, the lower word first. The next step overwrites the
   * yielded hashes.
   */
  *hashes(piece: Uint8Array, seed: bigint): Generator<Uint32Array, void, undefined> {
    this.#append(piece);
    const { HASHES, TEXT, position } = this.#exports;
    let from: number = TEXT.value;
    let count: number;
    do {
      count = this.#exports.hashLocs(from, this.#textEnd, seed);
      from = position.value;
      if (count > 0) yield new Uint32Array(this.#memory.buffer, HASHES.value, 2 * count);
    } while (count === MAX_HASHED);
    this.#memory.copyWithin(TEXT.value, from, this.#textEnd);
    this.#textEnd -= from - TEXT.value;
  }

  /** Puts the bytes behind the text. Returns the address of the bytes. */
  #append(bytes: Uint8Array): number {
    const at = this.#textEnd;
    this.#memory = growMemory(this.#exports.memory, this.#memory, at + bytes.length + PADDING);
    this.#memory.set(bytes, at);
    this.#textEnd = at + bytes.length;
    return at;
  }
}
