/**
 * Finds where the elements of a JSON array end. Looks at each byte once, follows strings, counts brackets, and does nothing else. The
 * parser of the elements decides whether an element is JSON. In valid text, the scan and a parser see the same strings and brackets, so the
 * scan cuts valid text where a parser does.
 *
 * Elements leave in batches. The ends of batches depend only on the document, and not on its chunks.
 */
import { BatchKernel, type BatchLimits, compileKernel, type KernelModule } from '../batch-kernel.ts';
import {
  ARRAY_ENDS,
  BATCH_IS_FULL,
  BRACE_IS_NOT_OPEN,
  CONSUMED,
  ELEMENT_IS_MISSING,
  TOO_DEEP,
} from '../kernel-layout.ts';
import { invalidField } from '../refusal.ts';
import { MAX_DEPTH, malformed, tooDeep } from './json-syntax.ts';

/** Consecutive elements of the array, in a buffer of their own. */
export interface ElementBatch {
  /** The elements and the commas between them. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The end of each element in `bytes`: the position of the comma after it, or the end of `bytes`. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** Index in the array of the first element of the batch. */
  readonly firstIndex: number;
}

/** The document's object and the array are open around an element, so they take two of the levels. */
export const MAX_ELEMENT_DEPTH = MAX_DEPTH - 2;

/** The module is compiled for the first upload. */
let elementKernel: KernelModule<unknown> | undefined;

export class ElementScan {
  /** The name of the array, for messages and fields. */
  readonly name: string;
  readonly #limits: BatchLimits;
  readonly #emit: (batch: ElementBatch) => void;
  readonly #kernel: BatchKernel;
  #firstIndex = 0;
  #isClosed = false;
  isDone = false;

  /** Call `close` at the end. */
  constructor(name: string, limits: BatchLimits, emit: (batch: ElementBatch) => void) {
    this.name = name;
    this.#limits = limits;
    this.#emit = emit;
    elementKernel ??= compileKernel(new URL('./kernel.wasm', import.meta.url));
    this.#kernel = BatchKernel.take(elementKernel, limits, MAX_ELEMENT_DEPTH);
  }

  /** The number of elements that have ended. */
  get count(): number {
    return this.#firstIndex + (this.#isClosed ? 0 : this.#kernel.ended);
  }

  /** Scans `chunk` from `at`. Returns the position after the closing bracket, or the end of the chunk. Keeps no view of the chunk. */
  advance(chunk: Uint8Array, at: number): number {
    this.#kernel.add(at === 0 ? chunk : chunk.subarray(at));
    while (true) {
      const event = this.#kernel.scan();
      if (event === CONSUMED) return chunk.length;
      if (event === ARRAY_ENDS) {
        if (this.#kernel.ended === 0 && this.#firstIndex > 0) throw this.#missing();
        this.isDone = true;
      } else if (event !== BATCH_IS_FULL) throw this.#faultOf(event);
      const rest = this.#kernel.restBytes;
      this.flush();
      if (!this.isDone) continue;
      this.close();
      return chunk.length - rest;
    }
  }

  /** Emits the elements that have ended. */
  flush(): void {
    if (this.#isClosed) return;
    const firstIndex = this.#firstIndex;
    this.#firstIndex = this.count;
    const batch = this.#kernel.takeBatch();
    if (batch !== undefined) this.#emit({ ...batch, firstIndex });
  }

  /** Releases the kernel for other scans. The scan calls this method itself at the end of the array. */
  close(): void {
    if (!this.#isClosed) this.#kernel.release();
    this.#isClosed = true;
  }

  #missing(): Error {
    return malformed(`an element is missing in ${this.name}`);
  }

  #faultOf(event: number): Error {
    if (event === ELEMENT_IS_MISSING) return this.#missing();
    if (event === BRACE_IS_NOT_OPEN) return malformed('a closing brace has no opening brace');
    if (event === TOO_DEEP) return tooDeep();
    const message = `must be at most ${this.#limits.elementBytes} bytes long`;
    return invalidField(`${this.name}[${this.count}]`, null, message);
  }
}
