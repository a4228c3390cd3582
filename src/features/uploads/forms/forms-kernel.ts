/** The host of the WebAssembly that speeds up CSV and XML. kernels/forms/ describes its functions. */
import { readFileSync } from 'node:fs';

export interface FormsKernel {
  readonly memory: WebAssembly.Memory;
  /** The memory is free from this address on. */
  readonly heap: WebAssembly.Global;
  readonly jsonAt: WebAssembly.Global;
  setCells(delimiter: number, flags: number): void;
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

/** The module is compiled for the first upload that needs it. */
let compiled: WebAssembly.Module | undefined;

/** Makes an instance with memory of its own. */
export function createFormsKernel(): FormsKernel {
  compiled ??= new WebAssembly.Module(readFileSync(new URL('./kernel.wasm', import.meta.url)));
  return new WebAssembly.Instance(compiled, {}).exports as unknown as FormsKernel;
}
