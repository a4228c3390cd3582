/** The host of the WebAssembly that speeds up CSV and XML. forms-kernel/ describes its functions. */
import { readFileSync } from 'node:fs';

/** The kernel reads and writes so many bytes at a time, and may go so far beyond what it was asked for. */
export const VECTOR = 16;

export interface FormsKernel {
  readonly memory: WebAssembly.Memory;
  /** From here on, the memory is free. */
  readonly heap: WebAssembly.Global;
  readonly jsonAt: WebAssembly.Global;
  readRecords(
    columns: number,
    columnCount: number,
    records: number,
    ends: number,
    jsonEnds: number,
    first: number,
    count: number,
    json: number,
  ): number;
  plainElementEnd(start: number, end: number, name: number, nameBytes: number): number;
  lineBreaks(from: number, to: number): number;
}

/** Compiled with the first upload that needs it. */
let compiled: WebAssembly.Module | undefined;

/** An instance, with memory of its own. */
export function createFormsKernel(): FormsKernel {
  compiled ??= new WebAssembly.Module(
    readFileSync(new URL('./forms-kernel/forms-kernel.wasm', import.meta.url)),
  );
  return new WebAssembly.Instance(compiled, {}).exports as unknown as FormsKernel;
}
