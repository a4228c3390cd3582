/**
 * Cuts a text into batches of its records. A record is a line, or several lines if a line break is in quotes. Blank lines are no records, but
 * they count for line numbers. The ends of batches depend only on the text, and not on its chunks.
 */
import { BatchKernel, type BatchLimits, compileKernel, type KernelModule } from '../batch-kernel.ts';
import type { ElementBatch } from '../json/element-scan.ts';
import { BATCH_IS_FULL, CONSUMED } from '../kernel-layout.ts';
import { Refusal } from '../refusal.ts';

/** Consecutive records, with the line breaks and blank lines between them. A record ends at a line break or at the end. */
export interface LineBatch extends ElementBatch {
  /** The line where the first record begins, from 1. */
  readonly firstLine: number;
}

export interface LineScanOptions {
  /** The line of the first byte, from 1. */
  readonly firstLine?: number;
  /** The syntax of cells. Present if a line break in quotes, or behind a backslash, may belong to the record, as in CSV. */
  readonly cells?: {
    /** The byte between two cells. */
    readonly delimiter: number;
    /** Whether a backslash escapes the byte after it. */
    readonly hasEscapes: boolean;
    /** Whether a cell may be in quotes. */
    readonly hasQuotes: boolean;
  };
}

/** The flags of kernels/records/find-lines.ts for a backslash that escapes, and for quotes. */
const ESCAPES = 0x100;
const QUOTES = 0x200;

/** The module's own exports. kernels/records/find-lines.ts describes them. */
interface LineExports {
  readonly firstLine: WebAssembly.Global;
  readonly recordLine: WebAssembly.Global;
  finish(): void;
}

/** The module is compiled for the first upload of lines. */
let lineKernel: KernelModule<LineExports> | undefined;

export class LineScan {
  readonly #limits: BatchLimits;
  readonly #firstLine: number;
  readonly #kernel: BatchKernel<LineExports>;
  #firstIndex = 0;

  /** Call `close` at the end. */
  constructor(limits: BatchLimits, { firstLine = 1, cells }: LineScanOptions = {}) {
    this.#limits = limits;
    this.#firstLine = firstLine;
    lineKernel ??= compileKernel(new URL('./kernel.wasm', import.meta.url));
    const parameter =
      cells === undefined
        ? 0
        : cells.delimiter | (cells.hasEscapes ? ESCAPES : 0) | (cells.hasQuotes ? QUOTES : 0);
    this.#kernel = BatchKernel.take(lineKernel, limits, parameter);
  }

  /** Yields the batches that the chunk completes. Keeps no view of the chunk. Throws Refusal for a record that is too long. */
  *advance(chunk: Uint8Array): Generator<LineBatch, void, undefined> {
    this.#kernel.add(chunk);
    for (;;) {
      const event = this.#kernel.scan();
      if (event === CONSUMED) return;
      yield* this.flush();
      if (event !== BATCH_IS_FULL) throw this.#tooLong();
    }
  }

  /** Yields the rest of the text. */
  *finish(): Generator<LineBatch, void, undefined> {
    this.#kernel.exports.finish();
    yield* this.flush();
  }

  /** Yields the records that have ended. */
  *flush(): Generator<LineBatch, void, undefined> {
    const { exports, ended } = this.#kernel;
    const firstIndex = this.#firstIndex;
    const firstLine = this.#firstLine + exports.firstLine.value;
    const batch = this.#kernel.takeBatch();
    if (batch === undefined) return;
    this.#firstIndex += ended;
    yield { ...batch, firstIndex, firstLine };
  }

  /** Releases the kernel for other scans. */
  close(): void {
    this.#kernel.release();
  }

  #tooLong(): Refusal {
    const line = this.#firstLine + this.#kernel.exports.recordLine.value;
    const message = `line ${line}: must be at most ${this.#limits.elementBytes} bytes long`;
    const details = { field: 'line', value: null, line, index: this.#firstIndex };
    return new Refusal('VALIDATION_ERROR', message, { details });
  }
}
