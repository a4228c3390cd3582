/** Opens the WebAssembly module that compares entries; kernels/changes/compare-entries.ts describes its exports. */
import { readFileSync } from 'node:fs';

/** The compiled WebAssembly module; undefined before the first call of `openKernel`. */
let module: WebAssembly.Module | undefined;

export interface KernelExports {
  readonly memory: WebAssembly.Memory;
  readonly END: WebAssembly.Global;
  readonly FILES: WebAssembly.Global;
  readonly DIFFERING: WebAssembly.Global;
  readonly RECORDS: WebAssembly.Global;
  readonly ORIGINS: WebAssembly.Global;
  readonly position: WebAssembly.Global;
  readonly entries: WebAssembly.Global;
  readonly hasEnded: WebAssembly.Global;
  beginScan(seed: bigint, from: number, length: number, countsOrigins: boolean): void;
  beginSums(at: number): void;
  beginTable(at: number, slots: number): void;
  beginFile(text: number): void;
  beginPart(text: number): void;
  moveText(text: number): void;
  scan(to: number): number;
  unpack(to: number): number;
  sum(records: number, isLive: boolean): void;
  markDiffering(): number;
  insert(records: number, file: number): number;
  match(records: number): number;
  markFiles(): number;
  unseen(records: number): number;
  clearOrigins(): void;
}

/** Returns a new instance, with a memory of its own. */
export function openKernel(): KernelExports {
  module ??= new WebAssembly.Module(readFileSync(new URL('./kernel.wasm', import.meta.url)));
  return new WebAssembly.Instance(module, {}).exports as unknown as KernelExports;
}
