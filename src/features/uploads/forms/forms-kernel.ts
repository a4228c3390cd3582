/** The host of the WebAssembly that speeds up XML and Parquet. kernels/forms/ describes its functions. */
import { readFileSync } from 'node:fs';

export interface FormsKernel {
  readonly memory: WebAssembly.Memory;
  /** The memory is free from this address on. */
  readonly heap: WebAssembly.Global;
  readonly rowsEnd: WebAssembly.Global;
  writeRows(
    columns: number,
    columnCount: number,
    first: number,
    count: number,
    start: number,
    at: number,
    full: number,
    limit: number,
    ends: number,
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
